// Where a page ends: opaque to clients. It goes on only in the list of the filters that it is of.
import { createHash } from 'node:crypto'
import { parseJson } from '@svc-server/json'
import { z } from 'zod'
import type { EventKey } from '../fields/events.ts'
import { badShape } from '../invalid-query.ts'

const [earliest, latest] = [-2_208_988_800_000_000n, 10_413_792_000_000_000n]

/** A time of the column store, as microseconds. */
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

export const invalidCursor = (message: string) => badShape({ path: ['cursor'], message })

/** Of filters and order, short. */
export function listHash(conditions: readonly unknown[], order: string): string {
  const text = JSON.stringify([order, conditions], (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    // Of a field its name: the rest follows from it.
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
  const parsed = shape.safeParse(parsed64(text))
  if (!parsed.success) throw invalidCursor('Invalid cursor format')
  const { t, h, s, f } = parsed.data
  if (f !== hash) throw invalidCursor('The cursor is of a list with other filters: begin without it.')
  return { start_us: t, trace_hash: h, span: s.toWellFormed() }
}

/** What a cursor of any list says, if it is one. */
export function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
