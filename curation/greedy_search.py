"""First cut."""
import numpy as np
from curation import search_kernels as k
from curation.similarity import length_factor

def build(sequences, asked=None):
    vocabulary = {}
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = np.fromiter((vocabulary.setdefault(t, len(vocabulary)) for s in sequences for t in s), np.int32, int(offsets[-1]))
    return tokens, offsets, len(vocabulary)

def texts_of(tokens, offsets, vocab, asked):
    grams, count = tokens, vocab
    features, starts, distinct = [], [], []
    for order in range(1, 5):
        if order > 1:
            grams, count = k.longer_grams(grams, tokens, offsets, order, asked)
        found, total = k.occurrences(grams, offsets, count, asked)
        distinct.append(count)
        starts.append(k.room_for(found, total))
        features.append(found)
    lengths = np.diff(offsets)
    known, place = np.unique(lengths, return_inverse=True)
    table = np.zeros((len(known), len(known)))
    long = np.flatnonzero(known > 3)
    left, right = np.repeat(long, len(long)), np.tile(long, len(long))
    table[left, right] = length_factor(known[left], known[right])
    return k.Texts(offsets, tuple(features), place.astype(np.int32), table, table**4, np.array(distinct, np.int64)), tuple(starts)

def run(sequences, given, ld_min, timing=None):
    import time
    t0=time.process_time()
    tokens, offsets, vocab = build(sequences)
    t1=time.process_time()
    n = len(sequences)
    asked = np.ones(n, bool)
    texts, starts = texts_of(tokens, offsets, vocab, asked)
    t2=time.process_time()
    def index():
        return k.Index(starts, tuple(np.zeros(len(s), np.int32) for s in starts),
            tuple(np.zeros(int(s[-1]) , np.int32) for o, s in enumerate(starts)))
    room = k.Room(tuple(np.full(len(s), -1, np.int32) for s in starts), np.zeros(n, np.int64), np.zeros(n, np.int32), np.zeros(4, np.int64))
    values, partners = np.zeros(n), np.full(n, -2, np.int64)
    accepted, was = np.zeros(n, bool), np.zeros(n, bool)
    main = index()
    k.decide(texts, (values, partners, accepted, was), (given, ld_min, False), main, main, room)
    t3=time.process_time()
    print(f'tokens {t1-t0:.2f} features {t2-t1:.2f} decide {t3-t2:.2f} scanned/text {room.work[0]/n:.0f} verified/text {room.work[1]/n:.1f} touched/text {room.work[2]/n:.0f}', [len(s) for s in starts], [int(s[-1]) for s in starts])
    return values, partners, accepted
