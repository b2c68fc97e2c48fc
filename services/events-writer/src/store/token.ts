// The de-duplication token. The engine compares it and ignores what it stands for, so everything that could differ between
// two inserts is in it: above all the hash of the body. With another body under the same token, rows would be lost in silence.
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
