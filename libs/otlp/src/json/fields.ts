// Maps the keys of OTLP/JSON to fields. OTLP requires receivers to ignore all other keys.
import type { RejectReason } from '../rejection.ts'

/** The forms of values in JSON. The forms are numbers, because the transcoder has a `switch` on them for every field of every span. */
export const kinds = {
  /** a string; numbers and booleans are accepted and copied as text */
  text: 0,
  /** bytes of a fixed length, in hex */
  id: 1,
  /** fixed64 nanoseconds */
  time: 2,
  uint32: 3,
  fixed32: 4,
  enum: 5,
  message: 6,
  /** repeated message */
  list: 7,
  bool: 8,
  int64: 9,
  double: 10,
  base64: 11,
} as const

export interface Field {
  readonly name: string
  readonly number: number
  readonly kind: number
  /** For `message` and `list`: the message type. */
  readonly message: Message | undefined
  /** Byte length of an `id`. */
  readonly size: number
  /**
   * If the value of this field is unusable, the span is rejected for this reason. If `reason` is undefined, only the value is omitted, with
   * a warning.
   */
  readonly reason: RejectReason | undefined
  /** For `enum`: the names of the values, by number. */
  readonly names: readonly string[]
}

export interface Message {
  readonly name: string
  /** The fields of the message. A field's index is the number of its JSON key. */
  readonly fields: (Field | undefined)[]
  /** True for a list or map of values. Lists and maps can be nested without limit, so their depth is counted. */
  isContainer: boolean
  /** True for a Span, the only message that can be rejected individually. */
  isSpan: boolean
  /** True for a KeyValue. Attributes make up nine tenths of a request, so they have a fast path. */
  isAttribute: boolean
  /** Number of bytes that are reserved for the message's length. A length that needs fewer bytes is padded. */
  lengthBytes: number
}

const keyNumbers = new Map<string, number>()

const message = (name: string, lengthBytes = 1): Message => ({
  name,
  fields: [],
  isContainer: false,
  isSpan: false,
  isAttribute: false,
  lengthBytes,
})

const define = (of: Message, number: number, name: string, kind: number, more: Partial<Field> = {}): void => {
  const key = keyNumbers.get(name) ?? keyNumbers.size
  keyNumbers.set(name, key)
  of.fields[key] = { name, number, kind, message: undefined, size: 0, reason: undefined, names: [], ...more }
}

export const requestMessage = message('request')
const resourceSpans = message('resourceSpans', 4)
const scopeSpans = message('scopeSpans', 4)
const resource = message('resource')
const scope = message('scope')
const span = message('span', 2)
const event = message('event')
const link = message('link')
const status = message('status')
const keyValue = message('attribute')
const anyValue = message('value')
const arrayValue = message('arrayValue')
const kvlistValue = message('kvlistValue')
arrayValue.isContainer = true
kvlistValue.isContainer = true
span.isSpan = true
keyValue.isAttribute = true

const { text, id, time, uint32, fixed32, list, bool, int64, double, base64 } = kinds

define(requestMessage, 1, 'resourceSpans', list, { message: resourceSpans })

define(resourceSpans, 1, 'resource', kinds.message, { message: resource })
define(resourceSpans, 2, 'scopeSpans', list, { message: scopeSpans })
define(resourceSpans, 3, 'schemaUrl', text)

define(resource, 1, 'attributes', list, { message: keyValue })
define(resource, 2, 'droppedAttributesCount', uint32)

define(scopeSpans, 1, 'scope', kinds.message, { message: scope })
define(scopeSpans, 2, 'spans', list, { message: span })
define(scopeSpans, 3, 'schemaUrl', text)

define(scope, 1, 'name', text)
define(scope, 2, 'version', text)
define(scope, 3, 'attributes', list, { message: keyValue })
define(scope, 4, 'droppedAttributesCount', uint32)

define(span, 1, 'traceId', id, { size: 16, reason: 'trace_id_invalid' })
define(span, 2, 'spanId', id, { size: 8, reason: 'span_id_invalid' })
define(span, 3, 'traceState', text)
define(span, 4, 'parentSpanId', id, { size: 8, reason: 'parent_span_id_invalid' })
define(span, 16, 'flags', fixed32)
define(span, 5, 'name', text)
define(span, 6, 'kind', kinds.enum, {
  names: [
    'SPAN_KIND_UNSPECIFIED',
    'SPAN_KIND_INTERNAL',
    'SPAN_KIND_SERVER',
    'SPAN_KIND_CLIENT',
    'SPAN_KIND_PRODUCER',
    'SPAN_KIND_CONSUMER',
  ],
})
define(span, 7, 'startTimeUnixNano', time, { reason: 'start_time_range' })
define(span, 8, 'endTimeUnixNano', time)
define(span, 9, 'attributes', list, { message: keyValue })
define(span, 10, 'droppedAttributesCount', uint32)
define(span, 11, 'events', list, { message: event })
define(span, 12, 'droppedEventsCount', uint32)
define(span, 13, 'links', list, { message: link })
define(span, 14, 'droppedLinksCount', uint32)
define(span, 15, 'status', kinds.message, { message: status })

define(event, 1, 'timeUnixNano', time)
define(event, 2, 'name', text)
define(event, 3, 'attributes', list, { message: keyValue })
define(event, 4, 'droppedAttributesCount', uint32)

define(link, 1, 'traceId', id, { size: 16 })
define(link, 2, 'spanId', id, { size: 8 })
define(link, 3, 'traceState', text)
define(link, 4, 'attributes', list, { message: keyValue })
define(link, 5, 'droppedAttributesCount', uint32)
define(link, 6, 'flags', fixed32)

define(status, 2, 'message', text)
define(status, 3, 'code', kinds.enum, { names: ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'] })

define(keyValue, 1, 'key', text)
define(keyValue, 2, 'value', kinds.message, { message: anyValue })

define(anyValue, 1, 'stringValue', text)
define(anyValue, 2, 'boolValue', bool)
define(anyValue, 3, 'intValue', int64)
define(anyValue, 4, 'doubleValue', double)
define(anyValue, 5, 'arrayValue', kinds.message, { message: arrayValue })
define(anyValue, 6, 'kvlistValue', kinds.message, { message: kvlistValue })
define(anyValue, 7, 'bytesValue', base64)

define(arrayValue, 1, 'values', list, { message: anyValue })
define(kvlistValue, 1, 'values', list, { message: keyValue })

const keys = [...keyNumbers.keys()].map(name => Buffer.from(name))
const slots = 256

/** Computes a key's hash slot. A search at startup finds the factor that gives each key its own slot. */
const slotOf = (length: number, first: number, late: number, factor: number): number =>
  (Math.imul((length << 16) | (first << 8) | late, factor) >>> 11) % slots

const { factor, bySlot } = (() => {
  for (let candidate = 1; candidate < 100_000; candidate += 2) {
    const table = new Int8Array(slots).fill(-1)
    const free = keys.every((key, number) => {
      const slot = slotOf(key.length, key[0]!, key[key.length >> 1]!, candidate)
      if (table[slot] !== -1) return false
      table[slot] = number
      return true
    })
    if (free) return { factor: candidate, bySlot: table }
  }
  throw new Error('two keys of OTLP/JSON have the same length, first character and middle character')
})()

/** Returns -1 for an unknown key. Keys are compared as bytes, so `__proto__` is an ordinary unknown key. */
export const keyNumber = (bytes: Uint8Array, start: number, stop: number): number => {
  const length = stop - start
  if (length < 3) return -1
  const number = bySlot[slotOf(length, bytes[start]!, bytes[start + (length >> 1)]!, factor)]!
  if (number < 0) return -1
  const key = keys[number]!
  if (key.length !== length) return -1
  for (let i = 0; i < length; i++) if (key[i] !== bytes[start + i]) return -1
  return number
}

const formerNames: ReadonlyMap<string, string> = new Map([
  ['instrumentationLibrarySpans', 'scopeSpans'],
  ['instrumentationLibrary', 'scope'],
])
const longestName = 64

/**
 * Finds keys that OTLP/JSON does not use: protobuf's names, such as `resource_spans`, and names from before 1.0. Returns -1 for any other
 * key.
 */
export function otherKeyNumber(bytes: Uint8Array, start: number, stop: number): number {
  if (stop - start > longestName) return -1
  const name = Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString('latin1')
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return keyNumbers.get(formerNames.get(camel) ?? camel) ?? -1
}

/**
 * True for the messages around the spans: the request, ResourceSpans and ScopeSpans. An unknown key in such a message can be the misspelled
 * key of a list of spans.
 */
export const isAroundSpans = (of: Message): boolean => of === requestMessage || of === resourceSpans || of === scopeSpans
