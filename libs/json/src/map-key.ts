import { createHash } from 'node:crypto'
import { maxNameLength } from './long-names.ts'

/**
 * Returns the key that stands for a client's text when the text is used in a Map or Set. A Map compares a long text with all other texts of
 * its length (see `hasLongName`). The key of a long text is therefore its hash.
 */
export const mapKey = (text: string): string =>
  text.length <= maxNameLength ? text : `sha256:${createHash('sha256').update(text, 'utf16le').digest('base64')}`
