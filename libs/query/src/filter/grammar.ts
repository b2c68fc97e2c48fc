// The shape of a filter (contract §17.3). `resolve.ts` checks its columns.
import { isoTime } from '@svc-server/api/fields/fields'
import { z } from 'zod'

const textOperators = ['=', 'contains', 'does not contain', 'starts with', 'ends with', 'matches'] as const
const orders = ['>', '<', '>=', '<='] as const
const numberOperators = ['=', ...orders] as const

const column = z.string()
/** Replaces unpaired surrogates, because stored text never contains them. */
const text = z.string().transform(value => value.toWellFormed())
// Keys of metadata can be empty.
const key = text
const number = z.number()
const texts = z.array(text)
const named = z.array(text).min(1)

const anyOfSome = { path: ['value'], message: 'At least one value is required.' }

const condition = z.discriminatedUnion('type', [
  z.object({ type: z.literal('datetime'), column, operator: z.enum(orders), value: isoTime }),
  z.object({ type: z.literal('string'), column, operator: z.enum(textOperators), value: text }),
  z.object({ type: z.literal('stringOptions'), column, operator: z.enum(['any of', 'none of']), value: named }),
  z.object({ type: z.literal('categoryOptions'), column, key, operator: z.enum(['any of', 'none of']), value: texts }),
  z
    .object({ type: z.literal('arrayOptions'), column, operator: z.enum(['any of', 'none of', 'all of']), value: texts })
    .refine(({ operator, value }) => operator !== 'any of' || value.length > 0, anyOfSome),
  z.object({ type: z.literal('number'), column, operator: z.enum(numberOperators), value: number }),
  z.object({ type: z.literal('stringObject'), column, key, operator: z.enum([...textOperators, 'is set', 'is not set']), value: text }),
  z.object({ type: z.literal('numberObject'), column, key, operator: z.enum(numberOperators), value: number }),
  z.object({ type: z.literal('booleanObject'), column, key, operator: z.enum(['=', '<>']), value: z.boolean() }),
  z.object({ type: z.literal('boolean'), column, operator: z.enum(['=', '<>']), value: z.boolean() }),
  z.object({ type: z.literal('null'), column, operator: z.enum(['is null', 'is not null']), value: z.literal('') }),
])

export const filterShape = z.array(condition)
export type FilterShape = z.output<typeof filterShape>
export type ConditionShape = FilterShape[number]
