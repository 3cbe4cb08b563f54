"""The generators of C++ by which MindSpore shuffles: the same seed gives the same order here.

Source: C++17 [rand.predef]; how orders are drawn of them: libstdc++'s std::shuffle and
std::uniform_int_distribution of GCC 9, with which MindSpore is built.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Generator:
    """What draws numbers of 0..`largest`, and orders of them."""

    largest: int

    def raw(self) -> int:
        """A number of 0..largest."""
        raise NotImplementedError(type(self).__name__)

    def below(self, count: int) -> int:
        """One of 0..count-1."""
        share = self.largest // count
        while True:
            found = self.raw() // share
            if found < count:
                return found

    def sample(self, count: int, wanted: int) -> list[int]:
        """So many of the numbers 0..count-1, in their order: std::sample, as `shuffle` draws."""
        found: list[int] = []
        number, left = 0, count
        while len(found) < wanted and left >= 2:
            for drawn in divmod(self.below(left * (left - 1)), left - 1):
                left -= 1
                if len(found) < wanted and drawn < wanted - len(found):
                    found.append(number)
                number += 1
        if len(found) < wanted:
            self.below(1)  # it is the last one, and C++ draws nevertheless
            found.append(number)
        return found

    def shuffle(self, values: list[Any]) -> None:
        """Puts the values in random order: two places are drawn at once where one number has room
        for both."""
        count, place = len(values), 1
        if count * count > self.largest:
            for last in range(1, count):
                swap(values, last, self.below(last + 1))
            return
        if count % 2 == 0 and count > 0:
            swap(values, 1, self.below(2))
            place = 2
        while place < count:
            first, second = divmod(self.below((place + 1) * (place + 2)), place + 2)
            swap(values, place, first)
            swap(values, place + 1, second)
            place += 2


class Mersenne(Generator):
    """std::mt19937, whose state NumPy's RandomState has too."""

    largest = 2**32 - 1

    def __init__(self, seed: int) -> None:
        self.source = np.random.RandomState(seed)
        self.spare: float | None = None

    def raw(self) -> int:
        return int(self.source.randint(0, 2**32, dtype=np.uint32))

    def below(self, count: int) -> int:
        if count > self.largest:
            return (self.raw() << 32 | self.raw()) % count
        return super().below(count)

    def real(self, low: float, high: float) -> float:
        """A number of float32 in [low, high): std::uniform_real_distribution<float>."""
        share = np.float32(self.raw()) / np.float32(2**32)
        share = np.nextafter(np.float32(1), np.float32(0)) if share >= 1 else share
        first, last = np.float32(low), np.float32(high)
        return float(share * (last - first) + first)

    def normal(self) -> float:
        """A number of float32: std::normal_distribution<float>, which makes two at once."""
        if self.spare is not None:
            found, self.spare = self.spare, None
            return found
        one, two = np.float32(1), np.float32(2)
        while True:
            x = two * np.float32(self.real(0, 1)) - one
            y = two * np.float32(self.real(0, 1)) - one
            square = x * x + y * y
            if 0 < square <= 1:
                break
        scale = np.sqrt(-two * np.log(square) / square)
        self.spare = float(x * scale)
        return float(y * scale)

    def share(self) -> float:
        """A number in [0, 1): std::generate_canonical of 53 bits."""
        low = self.raw()
        return (low + self.raw() * 2.0**32) / 2.0**64


class LinearCongruential(Generator):
    """std::default_random_engine, which is std::minstd_rand0 there."""

    largest = 2**31 - 3

    def __init__(self, seed: int) -> None:
        self.state = seed % (2**31 - 1) or 1

    def raw(self) -> int:
        self.state = self.state * 16807 % (2**31 - 1)
        return self.state - 1


def swap(values: list[Any], one: int, other: int) -> None:
    values[one], values[other] = values[other], values[one]


WORDS = 312
HIGH, LOW = 0xFFFFFFFF80000000, 0x7FFFFFFF


class WideMersenne:
    """std::mt19937_64."""

    def __init__(self, seed: int) -> None:
        state = [seed % 2**64]
        for place in range(1, WORDS):
            last = state[-1]
            state.append((6364136223846793005 * (last ^ last >> 62) + place) % 2**64)
        self.state, self.place = state, WORDS

    def raw(self) -> int:
        """A number of 64 bits."""
        if self.place == WORDS:
            self.turn()
        found = self.state[self.place]
        self.place += 1
        found ^= found >> 29 & 0x5555555555555555
        found ^= found << 17 & 0x71D67FFFEDA60000
        found ^= found << 37 & 0xFFF7EEE000000000
        return found ^ found >> 43

    def turn(self) -> None:
        state = self.state
        for place in range(WORDS):
            found = state[place] & HIGH | state[(place + 1) % WORDS] & LOW
            odd = 0xB5026F5AA96619E9 if found & 1 else 0
            state[place] = state[(place + 156) % WORDS] ^ found >> 1 ^ odd
        self.place = 0
