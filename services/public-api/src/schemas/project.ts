// The body of POST and PUT of projects (public-api-org.md §3.4).
import { z } from 'zod'
import { isDeeperThan, maxJsonDepth } from '../events/json-shape.ts'

const minRetentionDays = 3
/** A hundred years: a longer one is a mistake of the caller. */
const maxRetentionDays = 36_500

const name = z
  .string()
  .min(3)
  .max(60)
  .refine(value => !/<[^>]*>/.test(value), { message: 'A name has no HTML.' })
  .refine(value => !value.includes('\0') && value.isWellFormed(), { message: 'Expected a text without NUL and lone surrogates.' })

/** An object, or its JSON text. */
const metadata = z
  .union([z.record(z.string(), z.unknown()), z.string()])
  .transform((value, context) => {
    const object = typeof value === 'string' ? parsed(value) : value
    if (object !== undefined) return object
    context.addIssue({ code: 'custom', message: 'Expected an object, or the JSON text of one.' })
    return z.NEVER
  })
  .nullish()

const retention = z
  .int()
  .refine(days => days === 0 || (days >= minRetentionDays && days <= maxRetentionDays), {
    message: `Expected 0 (rows are kept for ever) or a number of days from ${minRetentionDays} to ${maxRetentionDays}.`,
  })
  .nullish()

export const projectBody = z.object({ name, metadata, retention })

export type ProjectInput = z.infer<typeof projectBody>

function parsed(text: string): Record<string, unknown> | undefined {
  // Text within a body: its depth was not looked at with the body's.
  if (isDeeperThan(Buffer.from(text), maxJsonDepth)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
