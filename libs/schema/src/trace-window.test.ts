import avsc from 'avsc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { traceWindowSchema } from './avro/records.ts'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import type { TraceCandidate, TraceField } from './trace-candidates.ts'
import { parseTraceKey, projectOfTraceKey, traceKeyOf } from './trace-key.ts'
import {
  decodeTraceWindow,
  decodeTraceWindowEnd,
  encodeTraceWindow,
  parseTraceWindowKey,
  type TraceWindow,
  traceWindowKey,
} from './trace-window.ts'

const text = fc.string({ unit: 'binary' }).map(value => value.toWellFormed())
const hex = (length: number) => fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
const fields: readonly TraceField[] = ['name', 'userId', 'sessionId', 'release', 'version', 'environment', 'public', 'rootSpanId']

const candidate = (field: TraceField): fc.Arbitrary<TraceCandidate> =>
  fc.record({
    field: fc.constant(field),
    root: fc.boolean(),
    explicit: fc.boolean(),
    startNs: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    spanId: hex(16),
    value: text,
  })

const traceWindow: fc.Arbitrary<TraceWindow> = fc
  .record({
    firstOffset: fc.nat({ max: 2 ** 50 }),
    endMs: fc.nat({ max: 2 ** 50 }),
    distances: fc.uniqueArray(fc.nat({ max: 2 ** 40 })),
    candidates: fc.record({
      winners: fc.subarray([...fields]).chain(some => fc.tuple(...some.map(candidate))),
      tags: fc.array(text),
      rootSeen: fc.boolean(),
    }),
    spans: fc.nat({ max: 2 ** 50 }),
    totalSpans: fc.nat({ max: 2 ** 50 }),
    generation: fc.nat(),
    fill: hex(16),
    items: fc.array(
      fc.record({ id: text, rootId: fc.option(text), createdAtMs: fc.nat({ max: 2 ** 50 }), offset: fc.nat({ max: 2 ** 50 }) }),
    ),
    assignedAt: fc.option(fc.nat({ max: 2 ** 50 })),
  })
  .map(({ distances, ...window }) => {
    const offsets = distances.sort((a, b) => a - b).map(distance => window.firstOffset + distance)
    return { ...window, offsets, lastOffset: offsets.at(-1) ?? window.firstOffset }
  })

test('every window round-trips', () => {
  fc.assert(
    fc.property(traceWindow, window => {
      expect(decodeTraceWindow(encodeTraceWindow(window))).toEqual(window)
    }),
  )
})

test('another Avro implementation writes the same bytes: times and ids in big endian, offsets as differences', () => {
  const type = avsc.Type.forSchema(traceWindowSchema as unknown as avsc.Schema, { wrapUnions: false })
  fc.assert(
    fc.property(traceWindow, window => {
      const { candidates, ...rest } = window
      const theirs = type.toBuffer({
        ...rest,
        rootSeen: candidates.rootSeen,
        tags: candidates.tags,
        winners: candidates.winners.map(winner => ({
          ...winner,
          startNs: Buffer.from(winner.startNs.toString(16).padStart(16, '0'), 'hex'),
          spanId: Buffer.from(winner.spanId, 'hex'),
        })),
        offsets: window.offsets.map((offset, i) => offset - (window.offsets[i - 1] ?? window.firstOffset)),
      })
      const ours = encodeTraceWindow(window).subarray(10)
      expect(ours.equals(theirs)).toBe(true)
      expect(type.isValid(type.fromBuffer(ours))).toBe(true)
    }),
  )
})

const sample: TraceWindow = {
  firstOffset: 10,
  lastOffset: 20,
  endMs: 1_795_000_000_000,
  candidates: {
    winners: [{ field: 'name', root: true, explicit: false, startNs: 1n, spanId: '00f067aa0ba902b7', value: 'n' }],
    tags: [],
    rootSeen: true,
  },
  offsets: [10, 20],
  spans: 2,
  totalSpans: 2,
  generation: 0,
  fill: '0123456789abcdef',
  items: [],
  assignedAt: null,
}
const withWinner = (change: Partial<TraceCandidate>): TraceWindow => ({
  ...sample,
  candidates: { ...sample.candidates, winners: [{ ...sample.candidates.winners[0]!, ...change }] },
})

test('an impossible window is a bug of the caller and throws TypeError', () => {
  for (const offsets of [[9], [21], [12, 12], [13, 12]]) expect(() => encodeTraceWindow({ ...sample, offsets })).toThrow(TypeError)
  for (const spanId of ['', '00f067aa0ba902', '00f067aa0ba902b7b7', '00f067aa0ba902bx']) {
    expect(() => encodeTraceWindow(withWinner({ spanId }))).toThrow(TypeError)
  }
  expect(() => encodeTraceWindow(withWinner({ startNs: -1n }))).toThrow(RangeError)
  expect(() => encodeTraceWindow(withWinner({ startNs: 2n ** 64n }))).toThrow(RangeError)
})

test('F17 · a damaged window is undecodable, never another error', () => {
  const whole = encodeTraceWindow(sample)
  fc.assert(
    fc.property(fc.integer({ min: 10, max: whole.length - 1 }), fc.uint8Array({ minLength: 1, maxLength: 9 }), (at, bytes) => {
      const damaged = Buffer.from(whole)
      damaged.set(bytes.subarray(0, damaged.length - at), at)
      try {
        decodeTraceWindow(damaged)
      } catch (error) {
        expect(error).toBeInstanceOf(UndecodableRecord)
      }
    }),
    { numRuns: 2000 },
  )
})

test('F17 · the end can be read alone exactly when the whole window can be read', () => {
  const settled = (decode: (bytes: Uint8Array) => Pick<TraceWindow, 'endMs' | 'fill'>, bytes: Uint8Array) => {
    try {
      const { endMs, fill } = decode(bytes)
      return { endMs, fill }
    } catch (error) {
      if (!(error instanceof UndecodableRecord)) throw error
      return { reason: error.reason, message: error.message }
    }
  }
  fc.assert(
    fc.property(traceWindow, fc.nat(), fc.uint8Array({ maxLength: 9 }), fc.boolean(), (window, place, bytes, isCut) => {
      const damaged = Buffer.from(encodeTraceWindow(window))
      const at = 10 + (place % (damaged.length - 10))
      damaged.set(bytes.subarray(0, damaged.length - at), at)
      const record = isCut ? damaged.subarray(0, at) : damaged
      expect(settled(decodeTraceWindowEnd, record)).toEqual(settled(decodeTraceWindow, record))
    }),
    { numRuns: 2000 },
  )
})

const withSlashes = fc.array(text, { maxLength: 4 }).map(parts => parts.join('/'))
const withoutSlash = text.map(value => value.replaceAll('/', ''))

test('a key round-trips, even for a trace id with slashes', () => {
  fc.assert(
    fc.property(withoutSlash, withSlashes, fc.maxSafeNat(), (projectId, traceId, firstOffset) => {
      const traceKey = Buffer.from(traceKeyOf({ projectId, traceId }))
      expect(parseTraceKey(traceKey)).toEqual({ projectId, traceId })
      expect(projectOfTraceKey(traceKey)).toBe(projectId)
      const key = traceWindowKey(traceKey, firstOffset)
      expect(key.toString()).toBe(`${projectId}/${traceId}/${firstOffset}`)
      // A reader can pass a Buffer or a Uint8Array.
      for (const held of [key, new Uint8Array(key)]) {
        const parsed = parseTraceWindowKey(held)
        expect(parsed).toEqual({ traceKey: parsed.traceKey, firstOffset })
        expect(parsed.traceKey.equals(traceKey)).toBe(true)
      }
    }),
  )
})

test.each(['', '/', 'p/1', '/5', 'p/t/', 'p/t/01', 'p/t/-1', 'p/t/1e3', 'p/t/9007199254740992', 'p/t/x'])(
  '%j is not a key of a window',
  key => {
    expect(() => parseTraceWindowKey(Buffer.from(key))).toThrow(UndecodableRecord)
  },
)
