// SQL as a value. A statement's text comes only from literals in the source code. Values from a request become parameters.

/** The JavaScript types of the parameters. An integer above 2^53 must be a bigint. */
export interface ParameterTypes {
  readonly String: string
  readonly Bool: boolean
  readonly Float64: number
  readonly UInt32: number
  readonly Int64: number | bigint
  readonly 'Array(String)': readonly string[]
  readonly 'Array(Float64)': readonly number[]
  readonly 'Array(Date)': readonly string[]
  readonly 'Array(Int64)': readonly (number | bigint)[]
  readonly 'Array(UInt32)': readonly number[]
  /** Times in the format of `textOfMicros`. */
  readonly "Array(DateTime64(6, 'UTC'))": readonly string[]
}
export type ParameterType = keyof ParameterTypes

interface Parameter {
  readonly type: ParameterType
  readonly value: ParameterTypes[ParameterType]
  /** If undefined, the parameter gets the name `p0`, `p1` and so on in the statement. */
  readonly name: string | undefined
}

export interface Sql {
  readonly pieces: readonly (string | Parameter)[]
}

/** Only SQL values can be inserted, so a text from a request does not compile. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly Sql[]): Sql {
  return { pieces: texts.flatMap((text, at) => [text, ...(inserted[at]?.pieces ?? [])]) }
}

/** If `name` is given, people can find the parameter by this name in the query log of the column store. */
export function value<Type extends ParameterType>(type: Type, given: ParameterTypes[Type], name?: string): Sql {
  return { pieces: [{ type, value: given, name }] }
}

/** Turns text that the code has assembled, such as a column name, into SQL. It must never be called with text from a request. */
export const constant = (text: string): Sql => ({ pieces: [text] })

export function join(parts: readonly Sql[], separator: string): Sql {
  return { pieces: parts.flatMap((part, at) => (at === 0 ? part.pieces : [separator, ...part.pieces])) }
}

/** `1` for an empty list. */
export const all = (conditions: readonly Sql[]): Sql => (conditions.length === 0 ? sql`1` : join(conditions.map(inBrackets), ' AND '))

/** `0` for an empty list. */
export const any = (conditions: readonly Sql[]): Sql => (conditions.length === 0 ? sql`0` : join(conditions.map(inBrackets), ' OR '))

const inBrackets = (part: Sql): Sql => sql`(${part})`

export interface Written {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Throws if two parameters with different values have the same name. */
export function written({ pieces }: Sql): Written {
  const params: Record<string, unknown> = {}
  const names = new Map<Parameter, string>()
  function nameOf(parameter: Parameter): string {
    const known = names.get(parameter)
    if (known !== undefined) return known
    const name = parameter.name ?? `p${names.size}`
    if (Object.hasOwn(params, name) && params[name] !== parameter.value) throw new TypeError(`The parameter ${name} has two values`)
    names.set(parameter, name)
    params[name] = parameter.value
    return name
  }
  const text = pieces.map(piece => (typeof piece === 'string' ? piece : `{${nameOf(piece)}:${piece.type}}`)).join('')
  return { text, params }
}
