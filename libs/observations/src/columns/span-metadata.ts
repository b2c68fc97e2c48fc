// Writes a span's metadata in the form of v3: one object (contract §10.14). If user metadata have a key `attributes`, `resourceAttributes`
// or `scope`, the member that this module writes under the same name replaces the user's value. A member that is absent or empty replaces
// nothing.

import type { ByteDictionary } from '@svc-server/column-store/native'
import { attributeText } from '../rules/attribute-text.ts'
import { valueKind } from '../span-view/any-value.ts'
import { deadKey } from '../span-view/attribute-store.ts'
import { isJsonObject, parseJson, wireText, writeJson } from '../span-view/json-text.ts'
import { scratchWriter } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import { isFlattenable } from './metadata/flatten.ts'
import { removed, UserMetadata } from './metadata/user-metadata.ts'

type Members = Record<string, unknown>

/** Maximum length of an embedding's source text. The vector is never stored. */
const maxEmbeddingText = 1000

export class SpanMetadata {
  readonly #user: UserMetadata
  readonly #scratch = scratchWriter()
  /** Members of the current resource, computed once for all of its spans. */
  #resource: { readonly generation: number; readonly members: Members } | undefined
  #scope: { readonly generation: number; readonly members: Members } | undefined

  /** If other columns also read the user metadata, the caller must pass the `user` object from which these columns read. */
  constructor(user = new UserMetadata()) {
    this.#user = user
  }

  /**
   * If `withAttributes` is true (callers use it for root spans), the metadata also contain the span's attributes. The attributes of the
   * product's own SDKs are not user data, so the metadata contain such an attribute only if a column could not store it (`leftOut`).
   */
  of(span: SpanView, withAttributes: boolean): Members {
    this.#user.collect(span)
    return this.ofCollected(span, withAttributes)
  }

  /** Omits values that columns have taken from the metadata. */
  ofCollected(span: SpanView, withAttributes: boolean): Members {
    const members = this.#userMembers(span)
    if (withAttributes) put(members, 'attributes', span.sdkScope ? this.#leftOut(span) : this.#attributes(span))
    put(members, 'resourceAttributes', this.#resourceMembers(span))
    put(members, 'scope', this.#scopeMembers(span))
    return members
  }

  #userMembers(span: SpanView): Members {
    const user = this.#user
    const members: Members = {}
    for (let i = 0; i < user.length; i++) {
      const name = user.names[i]!
      if (name === removed) continue
      const entry = user.entries[i]!
      put(members, this.#textOf(span.attributes.table.metadataNames, name), entry < 0 ? user.values[i] : this.#userValue(span, entry))
    }
    return members
  }

  /** Only the newest SDKs send every value as JSON. For other clients, only objects and lists are recognized as JSON. */
  #userValue(span: SpanView, entry: number): unknown {
    const { attributes, source } = span
    if (attributes.kinds[entry] !== valueKind.text) return this.#value(span, entry)
    const text = wireText(source, attributes.starts[entry]!, attributes.ends[entry]!)
    const parsed = span.jsonMetadata || /^[[{]/.test(text) ? parseJson(text) : undefined
    return parsed === undefined || !isFlattenable(parsed, text.length) ? text : parsed
  }

  /** Returns the attributes that no column used, as texts. */
  #attributes(span: SpanView): Members {
    const { attributes } = span
    const { table } = attributes
    const members: Members = {}
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      const key = attributes.keys[entry]!
      if (key === deadKey) continue
      const flags = attributes.flags[entry]!
      if ((flags & (keyFlag.leaves | keyFlag.embeddingVector)) !== 0 && !span.leftOut.has(entry)) continue
      const rest = span.moved.get(entry)
      if (rest === null) continue
      const text = rest ?? attributeText(span, entry)
      put(members, this.#textOf(table.keys, key), (flags & keyFlag.embeddingText) === 0 ? text : text.slice(0, maxEmbeddingText))
    }
    return members
  }

  #leftOut(span: SpanView): Members {
    const members: Members = {}
    const { attributes, leftOut } = span
    const { keys, table } = attributes
    for (let i = 0; i < leftOut.size; i++) {
      const entry = leftOut.entryAt(i)
      put(members, this.#textOf(table.keys, keys[entry]!), attributeText(span, entry))
    }
    return members
  }

  #resourceMembers(span: SpanView): Members {
    if (this.#resource?.generation !== span.resourceGeneration) {
      this.#resource = { generation: span.resourceGeneration, members: this.#entries(span, 0, span.resourceCount) }
    }
    return this.#resource.members
  }

  #scopeMembers(span: SpanView): Members {
    if (this.#scope?.generation === span.scopeGeneration) return this.#scope.members
    const members: Members = {}
    if (span.scopeName !== '') put(members, 'name', span.scopeName)
    if (span.scopeVersion !== '') put(members, 'version', span.scopeVersion)
    put(members, 'attributes', this.#entries(span, span.resourceCount, span.ownFrom))
    this.#scope = { generation: span.scopeGeneration, members }
    return members
  }

  #entries(span: SpanView, from: number, until: number): Members {
    const { keys, table } = span.attributes
    const members: Members = {}
    for (let entry = from; entry < until; entry++) {
      if (keys[entry] !== deadKey) put(members, this.#textOf(table.keys, keys[entry]!), this.#value(span, entry))
    }
    return members
  }

  #value(span: SpanView, entry: number): unknown {
    const { attributes, source } = span
    if (attributes.kinds[entry] === valueKind.text) return wireText(source, attributes.starts[entry]!, attributes.ends[entry]!)
    this.#scratch.rewind()
    writeJson(this.#scratch, source, attributes.value(entry))
    const json = wireText(this.#scratch, 0, this.#scratch.length)
    const parsed = parseJson(json)
    // JSON that contains a member name above the maximum length stays text (ADR 0042).
    return parsed === undefined ? json : parsed
  }

  #textOf(names: ByteDictionary, number: number): string {
    this.#scratch.rewind()
    names.writeTo(this.#scratch, number)
    return wireText(this.#scratch, 0, this.#scratch.length)
  }
}

/** `__proto__` is an ordinary name here. Empty objects are omitted. */
function put(members: Members, name: string, value: unknown): void {
  if (isJsonObject(value) && Object.keys(value).length === 0) return
  if (name === '__proto__') Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true })
  else members[name] = value
}
