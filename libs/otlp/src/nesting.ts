// Verifies that the mapping can later read spans, resources and scopes. If an acknowledged span were unreadable, it would be lost.
import { WireReader, wireType } from './wire.ts'

/** Maximum depth of nested lists and maps. Scalars do not count. */
export const maxContainers = 100

/** Describes a message type: its submessages by field number. All other fields are skipped. */
interface Shape {
  readonly fields: readonly (Shape | undefined)[]
  /** True for a list or map of values, which can be nested without limit. */
  readonly container: boolean
}

const shape = (container = false): { fields: (Shape | undefined)[]; container: boolean } => ({ fields: [], container })

const anyValue = shape()
const keyValue = shape()
const list = shape(true)
const keyValueList = shape(true)
const event = shape()
const link = shape()
const status = shape()
keyValue.fields[2] = anyValue
anyValue.fields[5] = list
anyValue.fields[6] = keyValueList
list.fields[1] = anyValue
keyValueList.fields[1] = keyValue
event.fields[3] = keyValue
link.fields[4] = keyValue

export const resourceShape: Shape = { fields: [undefined, keyValue], container: false }
export const scopeShape: Shape = { fields: [undefined, undefined, undefined, keyValue], container: false }
export const attributeShape: Shape = keyValue
export const eventShape: Shape = event
export const linkShape: Shape = link
export const statusShape: Shape = status

/**
 * Recognizes the common form of an attribute: a key and a scalar value, with short lengths, and nothing else. For any other form, the full
 * check must decide. Attributes take two thirds of the scan's time, and this function is five times as fast as the full check.
 */
export const isPlainAttribute = (bytes: Uint8Array, start: number, stop: number): boolean => {
  // The range must contain the key's tag and the key's length, of one byte each.
  if (stop - start < 2 || bytes[start] !== 0x0a || bytes[start + 1]! >= 0x80) return false
  let at = start + 2 + bytes[start + 1]!
  if (at + 4 > stop || bytes[at] !== 0x12) return false
  let length = bytes[at + 1]!
  at += 2
  if (length >= 0x80) {
    if (bytes[at]! >= 0x80) return false
    length = (length & 0x7f) | (bytes[at++]! << 7)
  }
  if (at + length !== stop || length < 2) return false
  const tag = bytes[at++]
  if (tag === 0x0a) {
    length = bytes[at++]!
    if (length >= 0x80) {
      if (at >= stop || bytes[at]! >= 0x80) return false
      length = (length & 0x7f) | (bytes[at++]! << 7)
    }
    return at + length === stop
  }
  if (tag === 0x10) return at + 1 === stop && bytes[at]! < 0x80
  if (tag === 0x21) return at + 8 === stop
  if (tag !== 0x18) return false
  for (let count = 0; at < stop && count < 10; count++) if (bytes[at++]! < 0x80) return at === stop
  return false
}

/**
 * Like `isPlainAttribute`, but for a list of short texts, such as tags. The attribute must be shorter than 128 bytes, so that each length
 * in it takes one byte. Each text is the string of an AnyValue message.
 */
export function isShortTextList(bytes: Uint8Array, start: number, stop: number): boolean {
  if (stop - start < 6 || stop - start >= 0x80 || bytes[start] !== 0x0a) return false
  let at = start + 2 + bytes[start + 1]!
  if (at + 4 > stop || bytes[at] !== 0x12 || at + 2 + bytes[at + 1]! !== stop || bytes[at + 2] !== 0x2a || at + 4 + bytes[at + 3]! !== stop)
    return false
  for (at += 4; at < stop; at += 2 + bytes[at + 1]!) {
    if (bytes[at] !== 0x0a || bytes[at + 2] !== 0x0a || bytes[at + 1] !== bytes[at + 3]! + 2) return false
  }
  return at === stop
}

type NestingFault = 'malformed' | 'too_deep'

export interface NestingCheck {
  /** True if all levels are well-formed. Otherwise, `fault`, `what` and `position` describe the error. */
  check(bytes: Uint8Array, start: number, stop: number, of: Shape): boolean
  readonly fault: NestingFault
  readonly what: string
  readonly position: number
}

/** Creates a check with one reader per level. The check allocates nothing per call, but is not reentrant. */
export const createNestingCheck = (): NestingCheck => {
  const readers: WireReader[] = []
  const result = { check, fault: 'malformed' as NestingFault, what: '', position: 0 }

  function walk(bytes: Uint8Array, start: number, stop: number, of: Shape, level: number, containers: number): boolean {
    const reader = (readers[level] ??= new WireReader()).open(bytes, start, stop)
    const fields = of.fields
    for (;;) {
      const step = reader.advance()
      if (step === 0) return true
      if (step < 0) return fail('malformed', reader.fault, reader.at)
      if (reader.type !== wireType.length || reader.field >= fields.length) continue
      const inner = fields[reader.field]
      if (inner === undefined) continue
      const depth = inner.container ? containers + 1 : containers
      if (depth > maxContainers) return fail('too_deep', `values nested deeper than ${maxContainers}`, reader.start)
      if (!walk(bytes, reader.start, reader.stop, inner, level + 1, depth)) return false
    }
  }

  function fail(fault: NestingFault, what: string, position: number): false {
    result.fault = fault
    result.what = what
    result.position = position
    return false
  }

  function check(bytes: Uint8Array, start: number, stop: number, of: Shape): boolean {
    return (of === attributeShape && isShortTextList(bytes, start, stop)) || walk(bytes, start, stop, of, 0, 0)
  }

  return result
}
