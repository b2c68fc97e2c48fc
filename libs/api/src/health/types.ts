import { z } from 'zod'

export const HealthResponse = z
  .object({
    version: z.string(),
    status: z.string(),
  })
  .meta({ id: 'HealthResponse' })
