// Error bodies (contract §16.4).
import { z } from 'zod'

export const Issue = z
  .object({ code: z.string(), message: z.string(), path: z.array(z.union([z.string(), z.number()])) })
  .meta({ id: 'PublicApiValidationIssue' })

/** Error body of most operations. `error` is the name of the error class, or the list of issues in a body or query. */
export const ErrorBody = z
  .object({ message: z.string(), error: z.union([z.string(), z.array(Issue)]).optional(), code: z.string().optional() })
  .meta({ id: 'ErrorBody' })
