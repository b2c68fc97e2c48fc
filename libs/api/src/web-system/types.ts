// Response types of the installation page.
import { z } from 'zod'
import { responseTime } from '../fields/fields.ts'

export const SystemStatus = z
  .object({
    version: z.string(),
    writeMode: z.string(),
    /** The server's clock, which the client compares the times with. */
    at: responseTime,
    /** By ingestion path, the time until which all acknowledged data is readable; null while unknown. */
    paths: z.array(z.object({ path: z.string(), completeUntil: responseTime.nullable() })),
    /** Records that a consumer group has not committed, and the age of the oldest in milliseconds; null while the log does not respond. */
    backlog: z.array(z.object({ group: z.string(), topic: z.string(), records: z.int(), oldestMs: z.int() })).nullable(),
    /** Dead letters on the log; null while the log does not respond. */
    deadLetters: z.int().nullable(),
  })
  .meta({ id: 'SystemStatus' })
