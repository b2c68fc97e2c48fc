// A page cursor, opaque to clients. A cursor is valid only for the list and the filters for which it was created.
import { createHash } from 'node:crypto'
import { parseJson } from '@svc-server/json'
import { z } from 'zod'
import type { EventKey } from '../fields/events.ts'
import { badRequest } from '../invalid-query.ts'

const [earliest, latest] = [-2_208_988_800_000_000n, 10_413_792_000_000_000n]

/** Parses a time in microseconds since the epoch. The time must be in the range of times that the column store can represent. */
export const microseconds = z
  .string()
  .regex(/^-?\d{1,18}$/)
  .transform(BigInt)
  .refine(us => us >= earliest && us < latest)
const shape = z.object({
  v: z.literal(1),
  t: microseconds,
  h: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
  s: z.string(),
  f: z.string(),
})

/** Returns a short hash of the filters and the order. */
export function listHash(conditions: readonly unknown[], order: string): string {
  const text = JSON.stringify([order, conditions], (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    // The hash contains only the name of a field, because the name determines the field's other properties.
    return typeof value === 'object' && value !== null && 'help' in value && 'id' in value ? value.id : value
  })
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

export const encode64 = (position: object): string => Buffer.from(JSON.stringify(position)).toString('base64url')

export const encodeCursor = ({ start_us, trace_hash, span }: EventKey, hash: string): string =>
  encode64({ v: 1, t: String(start_us), h: trace_hash, s: span, f: hash })

/** Throws InvalidQuery. */
export function decodeCursor(text: string | undefined, hash: string): EventKey | undefined {
  if (text === undefined || text === '') return undefined
  const { t, h, s } = decoded(text, shape, hash)
  return { start_us: t, trace_hash: h, span: s.toWellFormed() }
}

/**
 * Decodes the cursor of any list. Throws InvalidQuery if the text is invalid. Also throws InvalidQuery if the cursor's hash `f` differs
 * from `hash`, because the cursor then belongs to a list with different filters.
 */
export function decoded<Position extends { readonly f: string }>(text: string, shape: z.ZodType<Position>, hash: string): Position {
  const { success, data } = shape.safeParse(parsed64(text))
  if (!success) throw badRequest('Invalid cursor format')
  if (data.f !== hash) throw badRequest('The cursor belongs to a list with different filters: start again without a cursor.')
  return data
}

function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
