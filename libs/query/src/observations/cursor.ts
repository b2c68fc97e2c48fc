// Where a page ends: opaque to clients. It goes on only in the list of the filters that it is of.
import { createHash } from 'node:crypto'
import { parseJson } from '@svc-server/json'
import { z } from 'zod'
import type { EventKey } from '../fields/events.ts'
import type { Condition } from '../filter/condition.ts'
import { badShape } from '../invalid-query.ts'

const int64 = z.string().regex(/^-?\d{1,18}$/)
const shape = z.object({
  v: z.literal(1),
  t: int64,
  h: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
  s: z.string(),
  f: z.string(),
})

const invalid = (message: string) => badShape({ path: ['cursor'], message })

/** Of filters and order, short. */
export function listHash(conditions: readonly Condition[], order: string): string {
  const text = JSON.stringify([order, conditions], (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    // Of a field its name: the rest follows from it.
    return typeof value === 'object' && value !== null && 'help' in value && 'id' in value ? value.id : value
  })
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

export const encodeCursor = ({ start_us, trace_hash, span }: EventKey, hash: string): string =>
  Buffer.from(JSON.stringify({ v: 1, t: String(start_us), h: trace_hash, s: span, f: hash })).toString('base64url')

/** Throws InvalidQuery. */
export function decodeCursor(text: string | undefined, hash: string): EventKey | undefined {
  if (text === undefined || text === '') return undefined
  const parsed = shape.safeParse(parsed64(text))
  if (!parsed.success) throw invalid('Invalid cursor format')
  const { t, h, s, f } = parsed.data
  if (f !== hash) throw invalid('The cursor is of a list with other filters: begin without it.')
  return { start_us: BigInt(t), trace_hash: h, span: s.toWellFormed() }
}

function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
