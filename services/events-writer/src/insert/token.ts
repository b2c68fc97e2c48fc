// Makes the tokens by which the engine detects a repeated insert. A token contains everything that can differ between two inserts, above
// all the table and the hash of the body. If two different bodies had the same token, the engine would silently drop the rows of the second
// body. The form of a token never changes: after an upgrade, a chunk in doubt is retried under its old token.
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
