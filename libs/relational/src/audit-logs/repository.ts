// Writes audit entries for changes to traces. The traces are not in the relational store, so this module writes only the audit entries.
import { storedTraceId } from '../deletions/object-id.ts'
import type { Author } from '../tenancy/audit.ts'
import type { InProject } from '../tenancy/handles.ts'

export interface TraceUpdate {
  /** A text without unpaired surrogates. */
  readonly traceId: string
  readonly after: unknown
}

/** Returns false if the project does not exist. Throws `relational_unavailable`. */
export const noteTraceUpdate = (project: InProject, by: Author, { traceId, after }: TraceUpdate): Promise<boolean> =>
  project.write<boolean>(by, async rows => {
    if ((await rows.find('projects', project.projectId)) === undefined) return { value: false, audit: [] }
    const { objectId: resourceId } = storedTraceId(traceId)
    return { value: true, audit: [{ resourceType: 'trace', resourceId, action: 'update', after }] }
  })
