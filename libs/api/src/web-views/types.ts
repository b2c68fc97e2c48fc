// Request and response types of saved views.
import { z } from 'zod'
import { responseTime } from '../fields/fields.ts'

export const SavedView = z
  .object({ id: z.string(), name: z.string(), search: z.string(), createdAt: responseTime, updatedAt: responseTime })
  .meta({ id: 'SavedView' })
export const SavedViews = z.object({ data: z.array(SavedView) }).meta({ id: 'SavedViews' })

export const SaveViewRequest = z
  .object({
    name: z.string().trim().min(1).max(100),
    /** The query string of the page's URL, without the question mark. */
    search: z.string().max(8_000),
  })
  .meta({ id: 'SaveViewRequest' })
