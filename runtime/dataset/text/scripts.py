"""The scripts that characters are written in: where each begins, by Unicode 14's Scripts.txt."""

from __future__ import annotations

from bisect import bisect

BEGINNINGS = """
0:Common 41:Latin 5b:Common 61:Latin 7b:Common aa:Latin ab:Common ba:Latin bb:Common c0:Latin
d7:Common d8:Latin f7:Common f8:Latin 2b9:Common 2e0:Latin 2e5:Common 2ea:Bopomofo 2ec:Common
300:Inherited 370:Greek 374:Common 375:Greek 37e:Common 37f:Greek 385:Common 386:Greek
387:Common 388:Greek 3e2:Coptic 3f0:Greek 400:Cyrillic 485:Inherited 487:Cyrillic 531:Armenian
591:Hebrew 600:Arabic 605:Common 606:Arabic 60c:Common 60d:Arabic 61b:Common 61c:Arabic
61f:Common 620:Arabic 640:Common 641:Arabic 64b:Inherited 656:Arabic 670:Inherited 671:Arabic
6dd:Common 6de:Arabic 700:Syriac 750:Arabic 780:Thaana 7c0:Nko 800:Samaritan 840:Mandaic
860:Syriac 870:Arabic 8e2:Common 8e3:Arabic 900:Devanagari 951:Inherited 955:Devanagari
964:Common 966:Devanagari 980:Bengali a01:Gurmukhi a81:Gujarati b01:Oriya b82:Tamil c00:Telugu
c80:Kannada d00:Malayalam d81:Sinhala e01:Thai e3f:Common e40:Thai e81:Lao f00:Tibetan
fd5:Common fd9:Tibetan 1000:Myanmar 10a0:Georgian 10fb:Common 10fc:Georgian 1100:Hangul
1200:Ethiopic 13a0:Cherokee 1400:Canadian_Aboriginal 1680:Ogham 16a0:Runic 16eb:Common
16ee:Runic 1700:Tagalog 1720:Hanunoo 1735:Common 1740:Buhid 1760:Tagbanwa 1780:Khmer
1800:Mongolian 1802:Common 1804:Mongolian 1805:Common 1806:Mongolian 18b0:Canadian_Aboriginal
1900:Limbu 1950:Tai_Le 1980:New_Tai_Lue 19e0:Khmer 1a00:Buginese 1a20:Tai_Tham 1ab0:Inherited
1b00:Balinese 1b80:Sundanese 1bc0:Batak 1c00:Lepcha 1c50:Ol_Chiki 1c80:Cyrillic 1c90:Georgian
1cc0:Sundanese 1cd0:Inherited 1cd3:Common 1cd4:Inherited 1ce1:Common 1ce2:Inherited 1ce9:Common
1ced:Inherited 1cee:Common 1cf4:Inherited 1cf5:Common 1cf8:Inherited 1cfa:Common 1d00:Latin
1d26:Greek 1d2b:Cyrillic 1d2c:Latin 1d5d:Greek 1d62:Latin 1d66:Greek 1d6b:Latin 1d78:Cyrillic
1d79:Latin 1dbf:Greek 1dc0:Inherited 1e00:Latin 1f00:Greek 2000:Common 200c:Inherited
200e:Common 2071:Latin 2074:Common 207f:Latin 2080:Common 2090:Latin 20a0:Common 20d0:Inherited
2100:Common 2126:Greek 2127:Common 212a:Latin 212c:Common 2132:Latin 2133:Common 214e:Latin
214f:Common 2160:Latin 2189:Common 2800:Braille 2900:Common 2c00:Glagolitic 2c60:Latin
2c80:Coptic 2d00:Georgian 2d30:Tifinagh 2d80:Ethiopic 2de0:Cyrillic 2e00:Common 2e80:Han
2ff0:Common 3005:Han 3006:Common 3007:Han 3008:Common 3021:Han 302a:Inherited 302e:Hangul
3030:Common 3038:Han 303c:Common 3041:Hiragana 3099:Inherited 309b:Common 309d:Hiragana
30a0:Common 30a1:Katakana 30fb:Common 30fd:Katakana 3105:Bopomofo 3131:Hangul 3190:Common
31a0:Bopomofo 31c0:Common 31f0:Katakana 3200:Hangul 3220:Common 3260:Hangul 327f:Common
32d0:Katakana 32ff:Common 3300:Katakana 3358:Common 3400:Han 4dc0:Common 4e00:Han a000:Yi
a4d0:Lisu a500:Vai a640:Cyrillic a6a0:Bamum a700:Common a722:Latin a788:Common a78b:Latin
a800:Syloti_Nagri a830:Common a840:Phags_Pa a880:Saurashtra a8e0:Devanagari a900:Kayah_Li
a92e:Common a92f:Kayah_Li a930:Rejang a960:Hangul a980:Javanese a9cf:Common a9d0:Javanese
a9e0:Myanmar aa00:Cham aa60:Myanmar aa80:Tai_Viet aae0:Meetei_Mayek ab01:Ethiopic ab30:Latin
ab5b:Common ab5c:Latin ab65:Greek ab66:Latin ab6a:Common ab70:Cherokee abc0:Meetei_Mayek
ac00:Hangul f900:Han fb00:Latin fb13:Armenian fb1d:Hebrew fb50:Arabic fd3e:Common fd40:Arabic
fe00:Inherited fe10:Common fe20:Inherited fe2e:Cyrillic fe30:Common fe70:Arabic feff:Common
ff21:Latin ff3b:Common ff41:Latin ff5b:Common ff66:Katakana ff70:Common ff71:Katakana
ff9e:Common ffa0:Hangul ffe0:Common 10000:Linear_B 10100:Common 10140:Greek 10190:Common
101a0:Greek 101d0:Common 101fd:Inherited 10280:Lycian 102a0:Carian 102e0:Inherited 102e1:Common
10300:Old_Italic 10330:Gothic 10350:Old_Permic 10380:Ugaritic 103a0:Old_Persian 10400:Deseret
10450:Shavian 10480:Osmanya 104b0:Osage 10500:Elbasan 10530:Caucasian_Albanian 10570:Vithkuqi
10600:Linear_A 10780:Latin 10800:Cypriot 10840:Imperial_Aramaic 10860:Palmyrene 10880:Nabataean
108e0:Hatran 10900:Phoenician 10920:Lydian 10980:Meroitic_Hieroglyphs 109a0:Meroitic_Cursive
10a00:Kharoshthi 10a60:Old_South_Arabian 10a80:Old_North_Arabian 10ac0:Manichaean 10b00:Avestan
10b40:Inscriptional_Parthian 10b60:Inscriptional_Pahlavi 10b80:Psalter_Pahlavi 10c00:Old_Turkic
10c80:Old_Hungarian 10d00:Hanifi_Rohingya 10e60:Arabic 10e80:Yezidi 10f00:Old_Sogdian
10f30:Sogdian 10f70:Old_Uyghur 10fb0:Chorasmian 10fe0:Elymaic 11000:Brahmi 11080:Kaithi
110d0:Sora_Sompeng 11100:Chakma 11150:Mahajani 11180:Sharada 111e1:Sinhala 11200:Khojki
11280:Multani 112b0:Khudawadi 11300:Grantha 1133b:Inherited 1133c:Grantha 11400:Newa
11480:Tirhuta 11580:Siddham 11600:Modi 11660:Mongolian 11680:Takri 11700:Ahom 11800:Dogra
118a0:Warang_Citi 11900:Dives_Akuru 119a0:Nandinagari 11a00:Zanabazar_Square 11a50:Soyombo
11ab0:Canadian_Aboriginal 11ac0:Pau_Cin_Hau 11c00:Bhaiksuki 11c70:Marchen 11d00:Masaram_Gondi
11d60:Gunjala_Gondi 11ee0:Makasar 11fb0:Lisu 11fc0:Tamil 12000:Cuneiform 12f90:Cypro_Minoan
13000:Egyptian_Hieroglyphs 14400:Anatolian_Hieroglyphs 16800:Bamum 16a40:Mro 16a70:Tangsa
16ad0:Bassa_Vah 16b00:Pahawh_Hmong 16e40:Medefaidrin 16f00:Miao 16fe0:Tangut 16fe1:Nushu
16fe2:Han 16fe4:Khitan_Small_Script 16ff0:Han 17000:Tangut 18b00:Khitan_Small_Script
18d00:Tangut 1aff0:Katakana 1b001:Hiragana 1b120:Katakana 1b150:Hiragana 1b164:Katakana
1b170:Nushu 1bc00:Duployan 1bca0:Common 1cf00:Inherited 1cf50:Common 1d167:Inherited
1d16a:Common 1d17b:Inherited 1d183:Common 1d185:Inherited 1d18c:Common 1d1aa:Inherited
1d1ae:Common 1d200:Greek 1d2e0:Common 1d800:SignWriting 1df00:Latin 1e000:Glagolitic
1e100:Nyiakeng_Puachue_Hmong 1e290:Toto 1e2c0:Wancho 1e7e0:Ethiopic 1e800:Mende_Kikakui
1e900:Adlam 1ec71:Common 1ee00:Arabic 1f000:Common 1f200:Hiragana 1f201:Common 20000:Han
e0001:Common e0100:Inherited
"""
"""Characters and the scripts that begin there; one that stands for nothing has that before it."""

PLACES = [int(entry.split(":")[0], 16) for entry in BEGINNINGS.split()]
SCRIPTS = [entry.split(":")[1] for entry in BEGINNINGS.split()]


def script(character: str) -> str:
    """The script of a character; Common for signs that many share, Inherited for marks."""
    return SCRIPTS[bisect(PLACES, ord(character)) - 1]
