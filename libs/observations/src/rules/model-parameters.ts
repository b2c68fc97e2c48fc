// Model parameters in a JSON attribute.
import { type ByteSource, sourceOf } from '@svc-server/column-store/native'
import { valueKind } from '../span-view/any-value.ts'
import { ByteMemo } from '../span-view/byte-memo.ts'
import { jsonText, numberText, parseJson, wireText } from '../span-view/json-text.ts'
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { isNullText, jsonAttribute } from './json-attribute.ts'
import type { Rule } from './rules.ts'

const isContainer = (given: unknown): unknown => (typeof given === 'object' && given !== null ? given : undefined)

/** Applications send the same parameters with many calls. Equal parameters are therefore parsed and serialized only once. */
export class RepeatedParameters {
  readonly given: boolean
  /** Undefined if the parameters are nested too deeply. */
  readonly text: ByteSource | undefined

  constructor(value: unknown) {
    this.given = value !== undefined
    const text = this.given ? parametersText(value) : undefined
    this.text = text === undefined ? undefined : sourceOf(text)
  }
}

/** `accepted` returns the parameters in a value, or undefined. By default, every object and every list counts as parameters. */
export function parametersIn(name: string, accepted: (given: unknown) => unknown = isContainer): Rule<unknown> {
  const key = keyNumber(name)
  const repeated = new ByteMemo((source, start, end) => new RepeatedParameters(accepted(parseJson(wireText(source, start, end)))))

  function parametersOf(span: SpanView, entry: number): unknown {
    const { kinds, starts, ends } = span.attributes
    if (kinds[entry] !== valueKind.text) return accepted(jsonAttribute(span, entry))
    const found = repeated.of(span.source, starts[entry]!, ends[entry]!)
    return found.given ? found : undefined
  }

  return {
    name,
    read(span) {
      const entry = span.own.get(key)
      if (entry < 0 || !span.attributes.isTruthy(entry) || isNullText(span, entry)) return undefined
      const found = parametersOf(span, entry)
      if (found === undefined) span.lose('unreadable_json', entry)
      else span.explanation?.use(name)
      return found
    },
  }
}

/** Texts and numbers stay unchanged, and other values become JSON. Returns undefined if the value is nested too deeply to serialize. */
export function parametersText(given: unknown): string | undefined {
  const digits = numberText(given)
  if (digits !== undefined) return digits
  let text = ''
  for (const [key, value] of Object.entries(given as object)) {
    const kept = typeof value === 'string' ? JSON.stringify(value) : (numberText(value) ?? quoted(jsonText(value)))
    if (kept === undefined) return undefined
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${kept}`
  }
  return text === '' ? '{}' : `${text}}`
}

const quoted = (text: string | undefined) => (text === undefined ? undefined : JSON.stringify(text))
