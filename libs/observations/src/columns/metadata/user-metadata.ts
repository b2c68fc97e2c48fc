// Merges the user's metadata of a span. Attributes with a whole object (carriers) and attributes with dotted keys supply the metadata.
// Later carriers override earlier carriers.

import { sourceOf } from '@svc-server/column-store/native'
import { attributesOf } from '../../dialects/registry.ts'
import { attributeText } from '../../rules/attribute-text.ts'
import type { AttributeSubject } from '../../rules/dialect.ts'
import { valueKind } from '../../span-view/any-value.ts'
import { ByteMemo } from '../../span-view/byte-memo.ts'
import { isJsonObject, parseJson, wireText } from '../../span-view/json-text.ts'
import { systemGroups } from '../../span-view/key-table.ts'
import { NumberMap } from '../../span-view/number-map.ts'
import { scratchWriter } from '../../span-view/render-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { isFlattenable } from './flatten.ts'

/**
 * The two domains are the metadata of the observation and the metadata of the trace. The trace's values override the observation's values.
 * A carrier is an attribute with all metadata of a domain. The mapping uses only the first carrier with a value. An attribute whose
 * key has the domain's flag contains one value of the metadata. The key consists of a prefix and a dotted path. If the object in
 * the domain's carrier has a member whose name is this path, the attribute's value overrides the value of the member.
 */
const domains: readonly { readonly carriers: readonly number[]; readonly flag: number }[] = [
  { carriers: keysOf('observation_metadata'), flag: keyFlag.observationMetadata },
  { carriers: keysOf('trace_metadata'), flag: keyFlag.traceMetadata },
]
/**
 * Attributes with metadata that belongs to no domain. If a name has a value both in a domain and in such an attribute, the domain's value
 * wins.
 */
const plainCarriers = keysOf('plain_metadata')

function keysOf(subject: AttributeSubject): readonly number[] {
  return attributesOf(subject).map(({ key }) => key)
}

type Members = Readonly<Record<string, unknown>>

/** Returns null if the text is not a JSON object or list, or cannot be flattened. */
function membersOf(text: string): Members | null {
  const parsed = parseJson(text)
  return (isJsonObject(parsed) || Array.isArray(parsed)) && isFlattenable(parsed, text.length) ? (parsed as Members) : null
}

/** The spans of a trace repeat its metadata and share the parsed value. This value must not be modified. */
const repeated = new ByteMemo((source, start, end) => membersOf(wireText(source, start, end)))

/**
 * Difference in strength between the observation's metadata and the trace's metadata. An attribute with a dotted key is stronger than its
 * domain's carrier by this difference minus the rank of the key's prefix. The difference must therefore be larger than any prefix's rank.
 */
const domainStrength = 256

/** Marks a removed name in `names`, in place of the name's number. */
export const removed = -1

/** Number of the name `tools`. Tool definitions under this name can be moved into the input. */
export const toolsName = systemGroups.length

/** The top-level names of one span's metadata, in order of first appearance. */
export class UserMetadata {
  length = 0
  readonly names: number[] = []
  /** For each name, the index of the attribute that contains the name's value, or -1 if `values` contains the value. */
  readonly entries: number[] = []
  readonly values: unknown[] = []
  readonly #places = new NumberMap(256)
  /** For each name, its value's strength. A stronger value replaces a weaker one, so that the order of attributes has no effect. */
  readonly #strengths: number[] = []
  #strength = 0
  readonly #name = scratchWriter()

  collect(span: SpanView): void {
    this.length = 0
    this.#places.clear()
    this.#collectPlainCarriers(span)
    for (let i = 0; i < domains.length; i++) {
      const { carriers, flag } = domains[i]!
      this.#strength = i * domainStrength
      this.#collectCarrier(span, carriers)
      if ((span.attributes.seenFlags & flag) !== 0) this.#collectDotted(span, flag)
    }
  }

  /**
   * Reads OpenInference's attribute `metadata`. If the attribute's value is not an object, the attribute is treated like any other
   * attribute.
   */
  #collectPlainCarriers(span: SpanView): void {
    this.#strength = 0
    for (let i = 0; i < plainCarriers.length; i++) {
      const entry = span.own.get(plainCarriers[i]!)
      if (entry >= 0 && this.#putMembers(span, entry)) span.moved.set(entry, null)
    }
  }

  #collectCarrier(span: SpanView, carriers: readonly number[]): void {
    const entry = firstTruthy(span, carriers)
    if (entry < 0 || this.#putMembers(span, entry) || span.leftOut.has(entry)) return
    span.lose(parseJson(attributeText(span, entry)) === undefined ? 'metadata_unreadable' : 'metadata_no_object', entry)
  }

  /** Returns false if the attribute is not a JSON object or list, or cannot be flattened. */
  #putMembers(span: SpanView, entry: number): boolean {
    const { kinds, starts, ends } = span.attributes
    const isText = kinds[entry] === valueKind.text
    const members = isText ? repeated.of(span.source, starts[entry]!, ends[entry]!) : membersOf(attributeText(span, entry))
    if (members === null) return false
    const { metadataNames } = span.attributes.table
    for (const name of Object.keys(members)) {
      this.#name.rewind()
      this.#name.chars(name)
      this.#put(metadataNames.add(this.#name, 0, this.#name.length), -1, members[name])
    }
    return true
  }

  #collectDotted(span: SpanView, flag: number): void {
    const { attributes } = span
    const { keys, flags, table } = attributes
    const strength = this.#strength
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((flags[entry]! & flag) === 0) continue
      const key = keys[entry]!
      this.#strength = strength + domainStrength - table.prefixRank(key)
      this.#put(table.metadataName(key), entry, undefined)
    }
  }

  #put(name: number, entry: number, value: unknown): void {
    let place = this.#places.get(name)
    if (place >= 0 && this.#strengths[place]! > this.#strength) return
    if (place < 0) {
      place = this.length++
      this.#places.set(name, place)
    }
    this.names[place] = name
    this.entries[place] = entry
    this.values[place] = value
    this.#strengths[place] = this.#strength
  }

  has(name: number): boolean {
    return this.#places.has(name)
  }

  /** The name must exist. Returns parsed JSON, or else the attribute's text. */
  read(span: SpanView, name: number): unknown {
    const place = this.#places.get(name)
    const entry = this.entries[place]!
    return entry < 0 ? this.values[place] : attributeText(span, entry)
  }

  /** Decodes the value if the SDK sends metadata values as JSON text. Returns undefined if the metadata does not contain `key`. */
  valueOf(span: SpanView, key: string): unknown {
    const source = sourceOf(key)
    const name = span.attributes.table.metadataNames.find(source, 0, source.bytes.length)
    if (name < 0 || !this.has(name)) return undefined
    const value = this.read(span, name)
    return span.jsonMetadata && typeof value === 'string' && this.entries[this.#places.get(name)]! >= 0
      ? (parseJson(value) ?? value)
      : value
  }

  remove(name: number): void {
    this.names[this.#places.get(name)] = removed
    this.#places.delete(name)
  }
}

function firstTruthy({ own, attributes }: SpanView, keys: readonly number[]): number {
  for (let i = 0; i < keys.length; i++) {
    const entry = own.get(keys[i]!)
    if (attributes.isTruthy(entry)) return entry
  }
  return -1
}
