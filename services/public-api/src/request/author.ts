import type { Actor, Author } from '@svc-server/relational/actor'
import type { Dependencies } from './dependencies.ts'

export const authorOf = ({ actor }: { readonly actor: Actor }, { clock }: Pick<Dependencies, 'clock'>): Author => ({
  actor,
  at: new Date(clock()),
})
