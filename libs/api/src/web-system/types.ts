// Types of the wire of the page of the installation.
import { z } from 'zod'
import { responseTime } from '../fields/fields.ts'

export const SystemStatus = z
  .object({
    version: z.string(),
    writeMode: z.string(),
    /** The server's clock, to which the times are compared. */
    at: responseTime,
    /** Until when everything that was acknowledged can be read, by the way that it takes; null while it is not known. */
    paths: z.array(z.object({ path: z.string(), completeUntil: responseTime.nullable() })),
  })
  .meta({ id: 'SystemStatus' })
