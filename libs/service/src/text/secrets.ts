// What must never reach a log line or a printed configuration. One place, because logger and configuration
// have to agree.

export const hidden = '***'

const secretName =
  '(?:password|passwd|passphrase|secret|secret[_-]?key|private[_-]?key|access[_-]?key|admin[_-]?api[_-]?key|authorization|cookie|salt)'

const secretNamePattern = new RegExp(`${secretName}$`, 'i')

/** True for names (of variables, fields, headers) whose values are credentials. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name)

/**
 * Fields of a JSON line, at any depth. A quote inside a string is escaped in JSON, so the pattern never
 * starts inside one.
 */
const secretField = new RegExp(String.raw`("[\w.-]*${secretName}":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|-?\d[\d.]*)`, 'gi')
/**
 * Our own secret keys and HTTP credentials, wherever they stand: messages of foreign libraries quote what
 * they were given.
 */
const secretValue = /\bsk-svc-[\w-]+|\b(?:Basic|Bearer) [A-Za-z0-9+/=._~-]{8,}/g
/** The scheme is bounded, or a long text of dots would be scanned again from every dot. */
const urlPassword = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/gi

/** Hides secret keys, HTTP credentials and passwords of URLs in free text. */
export const redactText = (text: string): string => text.replace(secretValue, hidden).replace(urlPassword, `$1${hidden}`)

/** Hides the same in a line of JSON, and the values of fields with secret names. */
export const redactLine = (line: string): string => redactText(line.replace(secretField, `$1"${hidden}"`))
