import { createHash } from 'node:crypto'
import { maxNameLength } from './long-names.ts'

/**
 * Replaces a client's text as the key of a Map or a Set: like objects with their names, these compare long texts of one length
 * with each other (see `hasLongName`).
 */
export const mapKey = (text: string): string =>
  text.length <= maxNameLength ? text : `sha256:${createHash('sha256').update(text, 'utf16le').digest('base64')}`
