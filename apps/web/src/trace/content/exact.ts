// Parses JSON without loss: numbers that do not fit a double keep their written form.

interface Reviving {
  readonly source?: string
}

const raw = JSON as typeof JSON & { rawJSON?: (text: string) => unknown; isRawJSON?: (value: unknown) => boolean }

function revive(_: string, value: unknown, context?: Reviving): unknown {
  if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value
  return raw.rawJSON?.(context.source) ?? value
}

/** Returns undefined if the text is not JSON. */
export function parseExact(text: string): unknown {
  const first = text.trimStart()[0]
  if (first === undefined || !'{["-0123456789tfn'.includes(first)) return undefined
  try {
    return (JSON.parse as (text: string, reviver: typeof revive) => unknown)(text, revive)
  } catch {
    return undefined
  }
}

/** Texts stay unchanged. */
export const writeExact = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && raw.isRawJSON?.(value) !== true
