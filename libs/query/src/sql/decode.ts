// Decodes values of each ClickHouse type from JSONEachRow. This JSON has 64-bit integers in quotes, because our client asks the column
// store for the quotes.

export type Decoder<T> = (json: unknown) => T

export type ValueOf<Type extends string> = Type extends `Nullable(${infer Inner})`
  ? ValueOf<Inner> | null
  : Type extends `LowCardinality(${infer Inner})`
    ? ValueOf<Inner>
    : Type extends `Array(${infer Inner})`
      ? readonly ValueOf<Inner>[]
      : Type extends `Map(${string}, ${infer Inner})`
        ? Readonly<Record<string, ValueOf<Inner>>>
        : Type extends `DateTime64(${string})`
          ? Time
          : Type extends 'Bool'
            ? boolean
            : Type extends 'String' | 'Date'
              ? string
              : number

/** Microseconds since the epoch. Times after the year 2255 exceed the safe integers of JavaScript. */
type Time = bigint

export const text: Decoder<string> = json => (typeof json === 'string' ? json : String(json ?? ''))
/** Decodes integers, Float64, and Decimal. A 64-bit integer above 2^53 becomes the nearest number. */
export const number: Decoder<number> = json => Number(json)
export const boolean: Decoder<boolean> = json => json === true || json === 1
export const time: Decoder<Time> = json => BigInt(text(json))

export function nullable<T>(of: Decoder<T>): Decoder<T | null> {
  return json => (json === null || json === undefined ? null : of(json))
}

function list<T>(of: Decoder<T>): Decoder<readonly T[]> {
  return json => (Array.isArray(json) ? json.map(of) : [])
}

/** Decodes a map, which ClickHouse returns as an object. */
function record<T>(of: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return json =>
    typeof json === 'object' && json !== null ? Object.fromEntries(Object.entries(json).map(([key, each]) => [key, of(each)])) : {}
}

export function decoderOf<Type extends string>(type: Type): Decoder<ValueOf<Type>>
export function decoderOf(type: string): Decoder<unknown> {
  const [, wrapper, inner = ''] = /^(Nullable|LowCardinality|Array|Map)\((.*)\)$/.exec(type) ?? []
  if (wrapper === 'Nullable') return nullable(decoderOf(inner))
  if (wrapper === 'LowCardinality') return decoderOf(inner)
  if (wrapper === 'Array') return list(decoderOf(inner))
  if (wrapper === 'Map') return record(decoderOf(inner.slice(inner.indexOf(', ') + 2)))
  if (type === 'Bool') return boolean
  if (type.startsWith('DateTime64')) return time
  return type === 'String' || type === 'Date' ? text : number
}
