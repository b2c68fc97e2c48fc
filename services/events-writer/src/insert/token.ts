// Makes the tokens by which the engine detects a repeated insert. A token contains everything that can differ between two inserts, above
// all the table and the hash of the body. Different bodies with the same token would lose rows silently. The form of a token never changes:
// after an upgrade, a chunk in doubt is retried under its old token.
export interface TokenParts {
  readonly logId: string
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
  readonly table: string
  readonly hash: string
  readonly attempt: string
}

export const tokenOf = ({ logId, group, topic, partition, first, last, table, hash, attempt }: TokenParts): string =>
  [logId, group, topic, partition, `${first}-${last}`, table, hash, attempt].join('/')

export type TokenOf = (table: string, hash: string, attempt: string) => string
