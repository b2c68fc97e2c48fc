// Parses the multipart/form-data in which ClickHouse clients send long query parameters: small text fields without files.
import { SqlRefused } from '../sql/refused.ts'

export const multipartBoundary = (contentType: string | undefined): string | null =>
  /^multipart\/form-data\s*;.*?boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1] ?? null

/** Returns the fields by name. Throws BAD_ARGUMENTS for a malformed body, and NOT_IMPLEMENTED for files (external tables). */
export const parseMultipart = (body: Buffer, boundary: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  const delimiter = `--${boundary}`
  const text = body.toString('latin1')
  if (!text.startsWith(delimiter)) throw new SqlRefused('BAD_ARGUMENTS', 'The multipart body does not begin with its boundary')
  const parts = text.slice(delimiter.length).split(`\r\n${delimiter}`)
  if (!parts.at(-1)?.startsWith('--')) throw new SqlRefused('BAD_ARGUMENTS', 'The multipart body is cut short')
  for (const part of parts.slice(0, -1)) {
    const split = part.indexOf('\r\n\r\n')
    const head = part.slice(0, split)
    const name = /;\s*name="([^"]*)"/i.exec(head)?.[1]
    if (split < 0 || name === undefined) throw new SqlRefused('BAD_ARGUMENTS', 'A part of the multipart body has no name')
    if (/;\s*filename=/i.test(head)) throw new SqlRefused('NOT_IMPLEMENTED', 'External tables are not supported by the embedded engine')
    fields.set(name, Buffer.from(part.slice(split + 4), 'latin1').toString('utf8'))
  }
  return fields
}
