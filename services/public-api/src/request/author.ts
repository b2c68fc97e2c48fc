// Who changes something, as the audit log names it.
import type { Author } from '@svc-server/relational/actor'
import type { Caller } from './credentials.ts'
import type { Dependencies } from './dependencies.ts'

export const authorOf = ({ apiKeyId }: Pick<Caller, 'apiKeyId'>, { clock }: Pick<Dependencies, 'clock'>): Author => ({
  actor: { apiKeyId },
  at: new Date(clock()),
})
