"""What the projects use of tqdm, without its bars."""


class tqdm:
    def __init__(self, iterable=None, **options):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable)

    def set_postfix(self, **shown):
        self.shown = shown

    @staticmethod
    def write(text):
        print(text)
