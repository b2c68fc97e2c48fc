// For rules that no constraint holds, such as a name that is free or the next number of a version.
import { AppError } from '@svc-server/errors'
import type { ProjectRows } from './handles.ts'

/**
 * Until the transaction ends, no other that calls this for the project goes on; inserts of rows that refer to the project do.
 * Throws `reference_missing` when there is no such project.
 */
export async function oneAtATime(rows: ProjectRows): Promise<void> {
  const row = await rows.select('projects').select('id').forNoKeyUpdate().executeTakeFirst()
  if (row === undefined) throw new AppError('reference_missing', 'There is no such project.', { table: 'projects' })
}
