// The body of POST and PUT of projects (public-api-org.md §3.4).
import { z } from 'zod'
import { recordOf } from './fields.ts'

const minRetentionDays = 3
/** A hundred years: a longer one is a mistake of the caller. */
const maxRetentionDays = 36_500

const maxName = 60
const name = z
  .string()
  .min(3)
  .max(maxName)
  .refine(value => value.length > maxName || !/<[^>]*>/.test(value), { message: 'A name has no HTML.' })
  .refine(value => !value.includes('\0') && value.isWellFormed(), { message: 'Expected a text without NUL and lone surrogates.' })

/** An object, or its JSON text. */
const metadata = z.union([recordOf(z.unknown()), z.string()]).nullish()

const retention = z
  .int()
  .refine(days => days === 0 || (days >= minRetentionDays && days <= maxRetentionDays), {
    message: `Expected 0 (rows are kept for ever) or a number of days from ${minRetentionDays} to ${maxRetentionDays}.`,
  })
  .nullish()

export const projectBody = z.object({ name, metadata, retention })
