// Query parameters, which are text on the wire. An empty text counts as absent (contract §§16.2, 16.5).
import { z } from 'zod'
import { describedAs, descriptionOf, type JsonSchema } from './json-schema.ts'
import { microsOf } from './times.ts'

/** The style in which clients write a parameter with several values. The OpenAPI documents and the generated clients follow this style. */
export type ParameterStyle = 'comma' | 'repeated'
const styles = new WeakMap<z.core.$ZodType, ParameterStyle>()
export const styleOf = (schema: z.core.$ZodType): ParameterStyle | undefined => styles.get(schema)

type Given = string | readonly string[] | undefined

interface Parameter<Value> {
  readonly json: JsonSchema
  readonly style?: ParameterStyle
  /** Throws `Refusal` for an invalid text. The error's message is a whole sentence and becomes the message of the validation issue. */
  readonly decode: (text: string) => Value
}

class Refusal extends Error {}
const refuse = (sentence: string): never => {
  throw new Refusal(sentence)
}

/** Creates an optional parameter. `required` makes it mandatory. */
function parameter<Value>({ json, style, decode }: Parameter<Value>) {
  const schema = z
    .string()
    .optional()
    .transform((text, context): Value | undefined => {
      if (text === undefined || text === '') return undefined
      try {
        return decode(text)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        context.addIssue({ code: 'custom', message: error.message })
        return z.NEVER
      }
    })
    .optional()
  if (style !== undefined) styles.set(schema, style)
  return describedAs(schema, () => json)
}

/** Makes a parameter mandatory and not empty. */
export function required<Value>(schema: z.ZodType<Value | undefined, string | undefined>): z.ZodType<Value, string> {
  const strict = z
    .string({ error: 'Is required.' })
    .min(1, 'Is required.')
    .pipe(schema as z.ZodType<Value, string>)
  const style = styleOf(schema)
  if (style !== undefined) styles.set(strict, style)
  return describedAs(strict, () => descriptionOf(schema)!)
}

export const queryText = parameter({ json: { type: 'string' }, decode: text => text })

export const queryId = parameter({
  json: { type: 'string', maxLength: 800 },
  decode: text => (text.length > 800 ? text.slice(0, 801) : text),
})

interface Range {
  readonly min: number
  readonly max: number
}

export const queryInteger = ({ min, max }: Range) =>
  parameter({
    json: { type: 'integer', minimum: min, maximum: max },
    decode(text) {
      const value = /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : refuse(`Expected a whole number from ${min} to ${max}.`)
    },
  })

export const queryNumber = parameter({
  json: { type: 'number' },
  decode(text) {
    if (text.trim() === '') return undefined
    return Number.isFinite(Number(text)) ? Number(text) : refuse('Expected a finite number.')
  },
})

export const queryBoolean = parameter({
  json: { type: 'boolean' },
  decode: text => (text === 'true' || text === 'false' ? text === 'true' : refuse('Expected true or false.')),
})

/** The value stays a text, because some stores compare microseconds, which a Date cannot hold. */
export const queryTime = parameter({
  json: { type: 'string', format: 'date-time' },
  decode: text =>
    microsOf(text) === undefined ? refuse('Expected an ISO 8601 date and time in the years 1900 to 2299, with Z or an offset.') : text,
})

export const queryChoice = <const Value extends string>(values: readonly Value[]) =>
  parameter({
    json: { type: 'string', enum: values },
    decode: text => values.find(value => value === text) ?? refuse(`Expected ${values.join(', ')}.`),
  })

/** JSON text, which the handler parses. */
export const queryJson = parameter({ json: { type: 'string', contentMediaType: 'application/json' }, decode: text => text })

const maxListed = 100

function pieces(text: string): readonly string[] {
  const found = new Set<string>()
  for (const piece of text.split(',')) {
    const trimmed = piece.trim()
    if (trimmed !== '') found.add(trimmed)
  }
  return found.size <= maxListed ? [...found] : refuse(`Name at most ${maxListed} values.`)
}

const orAbsent = <Value>(values: readonly Value[]) => (values.length === 0 ? undefined : values)

/** Comma-separated pieces. They are trimmed; empty pieces and duplicates are removed. */
export const commaList = parameter({
  json: { type: 'array', items: { type: 'string' }, maxItems: maxListed },
  style: 'comma',
  decode: text => orAbsent(pieces(text)),
})

/** `values` lists the accepted spellings. `normal` converts a piece of the list to its accepted spelling. */
export const commaListOf = <const Value extends string>(values: readonly Value[], normal = (piece: string) => piece) =>
  parameter({
    json: { type: 'array', items: { type: 'string', enum: values }, maxItems: maxListed },
    style: 'comma',
    decode: text =>
      orAbsent(pieces(text).map(piece => values.find(value => value === normal(piece)) ?? refuse(`Expected ${values.join(', ')}.`))),
  })

/** A parameter that can occur several times: `?environment=a&environment=b`. */
export const repeated = (() => {
  const json = () => ({ type: 'array', items: { type: 'string' }, maxItems: maxListed })
  const given = describedAs(
    z.custom<Given>(value => value === undefined || typeof value === 'string' || Array.isArray(value)),
    json,
  )
  const schema = given.transform(value => orAbsent([value ?? []].flat().filter(text => text !== ''))).optional()
  styles.set(schema, 'repeated')
  return describedAs(schema, json)
})()

/** Any text is accepted, but only "true" has an effect. */
export const lenientText = parameter({ json: { type: 'string', enum: ['true', 'false'] }, decode: text => text })

/** A parameter that only older routes support. In other routes, its value must be empty. */
export const emptyAlone = (sentence: string) =>
  parameter<undefined>({ json: { type: 'string', maxLength: 0 }, decode: () => refuse(sentence) })

/** Maximum rows per page. White space counts as absent. */
export const limitParameter = ({ min = 1, max }: { readonly min?: number; readonly max: number }) =>
  parameter({
    json: { type: 'integer', minimum: min, maximum: max },
    decode(text) {
      if (text.trim() === '') return undefined
      const limit = Number(text)
      return Number.isInteger(limit) && limit >= min && limit <= max ? limit : refuse(`Expected a whole number, ${min} to ${max}.`)
    },
  })

export const anyText = z.string().optional()

/** A comma-separated list that the handler splits. Unknown names are ignored. */
export const commaText = (values?: readonly string[]) =>
  parameter({
    json: { type: 'array', items: { type: 'string', ...(values !== undefined && { enum: values }) } },
    style: 'comma',
    decode: text => text,
  })

/** A `limit` above 100 is rejected. */
export const pageParameters = (defaultLimit = 50) => ({
  page: queryInteger({ min: 1, max: 1_000_000 }).transform(page => page ?? 1),
  limit: queryInteger({ min: 1, max: 100 }).transform(limit => limit ?? defaultLimit),
})

/** An integer path parameter, such as a version. */
export const pathInteger = describedAs(
  z.string().transform((text, context) => {
    if (/^\d{1,9}$/.test(text)) return Number(text)
    context.addIssue({ code: 'custom', message: 'Expected a whole number.' })
    return z.NEVER
  }),
  () => ({ type: 'integer', minimum: 0 }),
)
