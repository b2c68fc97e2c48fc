import { z } from 'zod'
import { recordOf } from '../fields/fields.ts'

export const MetricsV2Response = z
  .object({
    data: z.array(recordOf(z.unknown())),
  })
  .meta({ id: 'MetricsV2Response' })
