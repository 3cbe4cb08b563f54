"""Collections of text under the names of their files."""

import json
import tempfile
from pathlib import Path

import mindspore.dataset as ds

ROOT = Path(tempfile.mkdtemp())


def written(name, text):
    path = ROOT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def tell(name, make):
    try:
        data = make()
        rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
        size = data.get_dataset_size()
    except Exception as error:
        known = ("ValueError", "RuntimeError", "TypeError")
        print(name, [c.__name__ for c in type(error).__mro__ if c.__name__ in known])
        return
    print(name, size, data.get_col_names())
    for row in rows:
        print("  ", {k: (v.tolist(), v.dtype.str[1:2], v.shape) for k, v in row.items()})


TABLES = {
    **dict.fromkeys(("AGNews", "AmazonReview", "DBpedia", "SogouNews"), 3),
    "YahooAnswers": 4,
    "YelpReview": 2,
}
for name, width in TABLES.items():
    for part, count in (("train", 3), ("test", 2)):
        rows = [",".join(f'"{part}{n}{k}, x"' for k in range(width)) for n in range(count)]
        written(f"{name}/{part}.csv", "\n".join(rows) + "\n")
    for usage in (None, "train", "test", "all", "other"):
        make = getattr(ds, f"{name}Dataset")
        options = {"shuffle": False, "num_parallel_workers": 2}
        tell(name, lambda m=make, n=name, u=usage, o=options: m(str(ROOT / n), u, **o))
for part in ("train", "test", "valid"):
    written(f"ptb/ptb.{part}.txt", f" {part} one \n\n {part} two\n")
    written(f"wiki/wiki.{part}.tokens", f" \n = {part} = \n \n line\n")
for usage in (None, "train", "valid", "test", "all", 5):
    for folder, make in (("ptb", ds.PennTreebankDataset), ("wiki", ds.WikiTextDataset)):
        for count in (1, 2):
            options = {"shuffle": False, "num_parallel_workers": count}
            tell(folder, lambda m=make, f=folder, u=usage, o=options: m(str(ROOT / f), u, **o))
for part in ("train", "test"):
    for kind in ("pos", "neg"):
        for number in (0, 1, 10):
            written(f"imdb/{part}/{kind}/{number}_7.txt", f"{part} {kind} {number} <br /> x")
for usage in (None, "train", "test", "all"):
    tell("imdb", lambda u=usage: ds.IMDBDataset(str(ROOT / "imdb"), u, shuffle=False))
sampler = ds.SubsetSampler([4, 0])
tell("imdb", lambda: ds.IMDBDataset(str(ROOT / "imdb"), "train", sampler=sampler))
tell("imdb", lambda: ds.IMDBDataset(str(ROOT / "ptb")))
tell("imdb", lambda: ds.IMDBDataset(str(ROOT / "nothing")))
written("sst/train.tsv", "sentence\tlabel\nhide new \t0\ngood one\t1\n")
written("sst/dev.tsv", "sentence\tlabel\nx y\t1\n")
written("sst/test.tsv", "index\tsentence\n0\tuneasy mishmash\n1\tz\n")
for usage in (None, "train", "dev", "test", "all"):
    tell("sst", lambda u=usage: ds.SST2Dataset(str(ROOT / "sst"), u, shuffle=False))
pair = {"sentence1": "\u4f60\u597d", "sentence2": "b"}
places = {"span1_index": 1, "span2_index": 2, "span1_text": "x", "span2_text": "y"}
for task, usage, row in (
    ("AFQMC", "train", {**pair, "label": "0"}),
    ("AFQMC", "eval", {**pair, "label": 1}),
    ("AFQMC", "test", {**pair, "id": 3}),
    ("AFQMC", "train", pair),
    ("AFQMC", "other", pair),
    ("other", "train", pair),
    ("CMNLI", "eval", {**pair, "label": "neutral"}),
    ("CMNLI", "test", {**pair, "id": 3}),
    ("TNEWS", "train", {"label": "1", "label_desc": "n", "sentence": "s", "keywords": "k"}),
    ("TNEWS", "test", {"id": 3, "sentence": "s", "keywords": "k"}),
    ("IFLYTEK", "train", {"label": "1", "label_des": "n", "sentence": "s"}),
    ("IFLYTEK", "test", {"id": 3, "sentence": "s"}),
    ("WSC", "train", {"target": places, "idx": 3, "text": "t", "label": "true"}),
    ("WSC", "test", {"target": places, "idx": 3, "text": "t"}),
    ("CSL", "train", {"id": 1, "abst": "a", "keyword": ["\u6c34", "b"], "label": "1"}),
    ("CSL", "test", {"id": 1, "abst": "a", "keyword": ["k"]}),
):
    path = written("clue.json", json.dumps(row, ensure_ascii=False) + "\n")
    tell(task, lambda p=path, t=task, u=usage: ds.CLUEDataset(p, t, u, shuffle=False))
