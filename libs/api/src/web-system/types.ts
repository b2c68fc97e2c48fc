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
  })
  .meta({ id: 'SystemStatus' })
