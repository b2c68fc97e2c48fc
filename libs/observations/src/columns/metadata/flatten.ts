// Flattens objects to dotted names. A value beyond the limits becomes one JSON leaf, so that the row stays small.
import type { ByteSource, ByteWriter } from '@svc-server/column-store/native'
import { leafType } from '../../rules/leaf-type.ts'
import { emptyValue, forEachEntry, readAnyValue, valueKind, type WireValue } from '../../span-view/any-value.ts'
import { isJsonObject, numberText } from '../../span-view/json-text.ts'
import { type LeafNames, type LeafSink, pushString, pushValue } from './leaf.ts'

const maxDepth = 100

/**
 * Maximum length of all names together. The name of each leaf below a long key contains the key. Without a limit, the names could therefore
 * grow quadratically with the value's `size` in bytes.
 */
const nameBudget = (size: number) => size * 4 + 1024

/** Adds a leaf for each value of a map, at any depth. An empty map adds no leaf. */
export function flattenMap(sink: LeafSink, names: LeafNames, path: ByteWriter, source: ByteSource, value: WireValue): void {
  if (nameBytesOfMap(source, value, path.length) > nameBudget(value.end - value.start)) {
    pushValue(sink, names.indexOf(path, 0, path.length), source, value)
    return
  }
  const from = path.length
  forEachEntry(source.bytes, value, (keyStart, keyEnd, start, end) => {
    const inner = emptyValue()
    readAnyValue(source, start, end, inner)
    path.length = from
    path.byte(0x2e)
    path.raw(source.bytes, keyStart, keyEnd)
    if (inner.kind === valueKind.map) flattenMap(sink, names, path, source, inner)
    else pushValue(sink, names.indexOf(path, 0, path.length), source, inner)
  })
  path.length = from
}

function nameBytesOfMap(source: ByteSource, value: WireValue, pathBytes: number): number {
  let sum = 0
  forEachEntry(source.bytes, value, (keyStart, keyEnd, start, end) => {
    const inner = emptyValue()
    readAnyValue(source, start, end, inner)
    const name = pathBytes + 1 + keyEnd - keyStart
    sum += inner.kind === valueKind.map ? nameBytesOfMap(source, inner, name) : name
  })
  return sum
}

/** True if the value's depth and the total length of its flattened names are within the limits. */
export function isFlattenable(value: unknown, textBytes: number): boolean {
  let budget = nameBudget(textBytes)

  function walk(inner: unknown, depth: number, path: number): boolean {
    if (Array.isArray(inner)) return depth < maxDepth && inner.every(element => walk(element, depth + 1, 0))
    if (!isJsonObject(inner)) return (budget -= path) >= 0
    return depth < maxDepth && Object.keys(inner).every(key => walk(inner[key], depth + 1, path + 1 + key.length))
  }
  return walk(value, 0, 0)
}

/** A scalar or a list is one leaf. */
export function flattenJson(sink: LeafSink, names: LeafNames, path: ByteWriter, value: unknown): void {
  if (!isJsonObject(value)) {
    pushJson(sink, names.indexOf(path, 0, path.length), value)
    return
  }
  const from = path.length
  // `Object.entries` would create as much garbage as the value itself.
  for (const key of Object.keys(value)) {
    path.length = from
    path.byte(0x2e)
    path.chars(key)
    flattenJson(sink, names, path, value[key])
  }
  path.length = from
}

export function pushJson(sink: LeafSink, name: number, value: unknown): void {
  const digits = numberText(value)
  if (typeof value === 'string') pushString(sink, name, leafType.text, value)
  else if (digits !== undefined) pushString(sink, name, leafType.number, digits)
  else if (typeof value === 'boolean') pushString(sink, name, leafType.boolean, String(value))
  else if (value === null) pushString(sink, name, leafType.null, '')
  else pushString(sink, name, leafType.json, JSON.stringify(value))
}
