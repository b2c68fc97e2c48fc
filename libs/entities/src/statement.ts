import { isJsonObject, jsonText } from '@svc-server/observations/json-text'
import { microsOfIso } from '@svc-server/observations/time'
import { type MetadataNode, metadataOf, noMetadata } from './metadata.ts'
import type { EventOrder } from './order.ts'
import { type EntityState, type FieldName, nothingSaid, type OtelRoot, type SaidField, tagsOf } from './state.ts'
import { UnreadableEvent } from './unreadable-event.ts'

/** v3 rows store milliseconds. The time of an event is therefore truncated, so that the event and its v3 row give the same key. */
const millisecondsOf = (us: number): number => Math.floor(us / 1000)

export class Statement {
  readonly by: EventOrder
  readonly #fields = new Map<FieldName, SaidField>()
  #metadata: MetadataNode = noMetadata
  #tags: readonly string[] = []

  constructor(by: EventOrder) {
    this.by = by
  }

  /** Null removes the value, and undefined changes nothing. */
  say(name: FieldName, value: string | null | undefined): void {
    if (value !== undefined) this.#fields.set(name, { value, by: this.by })
  }

  /** Null changes nothing. */
  set(name: FieldName, value: string | null | undefined): void {
    if (value !== null) this.say(name, value)
  }

  /** A value other than a text is set as JSON. */
  text(name: FieldName, value: unknown): void {
    this.say(name, value === undefined || value === null ? value : textOf(value))
  }

  /** Sets a time in milliseconds. */
  time(name: FieldName, value: unknown): void {
    this.say(name, timeOf(value))
  }

  /** Sets the input or the output, if the value is truthy. */
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

/**
 * Returns a text unchanged, except for lone surrogates, which it replaces. Returns any other value as JSON. Throws UnreadableEvent if the
 * value is nested too deeply.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  const json = jsonText(value)
  if (json === undefined) throw new UnreadableEvent('A value is nested too deeply.')
  return json
}

/** Returns the time in milliseconds, as text. Returns undefined for an invalid time, so an invalid time changes nothing. */
function timeOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value
  const us = typeof value === 'string' ? microsOfIso(value) : undefined
  return us === undefined ? undefined : String(millisecondsOf(us))
}

/** Returns undefined for an empty object, and for any value that is not an object. Such a value changes nothing. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined
