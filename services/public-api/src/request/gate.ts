// Decides which operations this installation serves (contract §16.7; contract §§4.4, 4.5). All other operations get 404, before
// authentication.
import type { Operation } from '@svc-server/api/operation'
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Installation {
  readonly writeMode: WriteMode
  readonly previewOptIn: boolean
}

export function closedBy({ method, path, gate, replacedBy }: Operation, { writeMode, previewOptIn }: Installation): string | undefined {
  switch (gate) {
    case 'always':
      return undefined
    case 'notInEventsOnly':
      return writeMode === 'events_only' ? `${removed(method, path)} ${replacedBy}.` : undefined
    default:
      if (!previewOptIn) return `${method} ${path} is not available with SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=false.`
      if (gate === 'previewOptInNotInLegacy' && writeMode === 'legacy')
        return `${method} ${path} is not available with SVC_MIGRATION_V4_WRITE_MODE=legacy.`
      return undefined
  }
}

const removed = (method: string, path: string): string =>
  `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')} is not available with SVC_MIGRATION_V4_WRITE_MODE=events_only.`
