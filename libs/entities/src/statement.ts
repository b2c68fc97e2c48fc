// Collects the values that one event sets, and converts them to a state.
import { isJsonObject, jsonText } from '@svc-server/observations/json-text'
import { microsOfIso } from '@svc-server/observations/time'
import { type MetadataNode, metadataOf, noMetadata } from './metadata.ts'
import type { EventOrder } from './order.ts'
import { type EntityState, type FieldName, nothingSaid, type OtelRoot, type SaidField, tagsOf } from './state.ts'
import { UnreadableEvent } from './unreadable-event.ts'

/** Old tables store milliseconds. A time must give the same key, whether it comes from an event or from a v3 row. */
const millisecondsOf = (us: number): number => Math.floor(us / 1000)

/** Collects the fields that one event sets. */
export class Statement {
  readonly by: EventOrder
  readonly #fields = new Map<FieldName, SaidField>()
  #metadata: MetadataNode = noMetadata
  #tags: readonly string[] = []

  constructor(by: EventOrder) {
    this.by = by
  }

  /** Sets a field. Null removes the value, and undefined changes nothing. */
  say(name: FieldName, value: string | null | undefined): void {
    if (value !== undefined) this.#fields.set(name, { value, by: this.by })
  }

  /** Sets a field that cannot be removed: null changes nothing. */
  set(name: FieldName, value: string | null | undefined): void {
    if (value !== null) this.say(name, value)
  }

  /** Sets a field to a text from the body. A value other than a text is set as JSON. */
  text(name: FieldName, value: unknown): void {
    this.say(name, value === undefined || value === null ? value : textOf(value))
  }

  /** Sets a field to a time from the body, in milliseconds. */
  time(name: FieldName, value: unknown): void {
    this.say(name, timeOf(value))
  }

  /** Sets the input or the output if the value is truthy. */
  content(name: 'input' | 'output', value: unknown): void {
    if (value !== undefined && value !== null && value !== '' && value !== 0 && value !== false) this.say(name, textOf(value))
  }

  metadata(value: unknown): void {
    this.#metadata = metadataOf(value, this.by) ?? noMetadata
  }

  tags(value: unknown): void {
    if (Array.isArray(value)) this.#tags = tagsOf(value.filter(tag => typeof tag === 'string').map(tag => tag.toWellFormed()))
  }

  state(more: { readonly createdMs: number | null; readonly legacy: boolean; readonly root?: OtelRoot | null }): EntityState {
    return {
      ...nothingSaid,
      fields: this.#fields,
      metadata: this.#metadata,
      tags: this.#tags,
      firstMs: millisecondsOf(this.by.atUs),
      createdMs: more.createdMs,
      legacy: more.legacy,
      root: more.root ?? null,
    }
  }
}

/** Returns a text unchanged, and any other value as JSON. Throws UnreadableEvent if the value is nested too deeply to serialize. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  const json = jsonText(value)
  if (json === undefined) throw new UnreadableEvent('A value is nested too deeply.')
  return json
}

/**
 * Returns the time in milliseconds, as text. Returns null and undefined unchanged. Returns undefined for an invalid time, which then
 * changes nothing.
 */
function timeOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  const us = typeof value === 'string' ? microsOfIso(value) : undefined
  return us === undefined ? undefined : String(millisecondsOf(us))
}

/** Returns the value if it is a nonempty object. Returns undefined for any other value, which then changes nothing. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined
