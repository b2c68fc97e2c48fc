// Types of the wire of metrics.
import { z } from 'zod'

export const MetricsV2Response = z
  .object({
    data: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'MetricsV2Response' })
