import { createHash } from 'node:crypto'
import { maxNameLength } from './long-names.ts'

/**
 * What stands for a client's text as a key of a Map or a Set: those compare long texts of one length with each other, as objects do their names (see
 * `hasLongName`).
 */
export const mapKey = (text: string): string =>
  text.length <= maxNameLength ? text : `sha256:${createHash('sha256').update(text, 'utf16le').digest('base64')}`
