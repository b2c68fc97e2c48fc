// Masks secrets that must never reach a log line or a printed configuration. The logger and the configuration share this module, so that
// both mask the same secrets.

export const hidden = '***'

const secretName =
  '(?:password|passwd|passphrase|secret|secret[_-]?key|private[_-]?key|access[_-]?key|admin[_-]?api[_-]?key|authorization|cookie|salt)'

const secretNamePattern = new RegExp(`${secretName}$`, 'i')

/** True if the value of a variable, field or header with this name is a credential. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name)

/** Matches secret fields of a JSON line at any depth. A match starts outside of strings, because quotes inside a string are escaped. */
const secretField = new RegExp(String.raw`("[\w.-]*${secretName}":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|-?\d[\d.]*)`, 'gi')
/** Matches this product's secret keys and HTTP credentials anywhere in a text, because error messages of libraries quote their input. */
const secretValue = /\bsk-svc-[\w-]+|\b(?:Basic|Bearer) [A-Za-z0-9+/=._~-]{8,}/g
/** The pattern limits the length of the scheme, so that a long text of dots is not searched from every dot. */
const urlPassword = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/gi

/** Masks secret keys, HTTP credentials, and passwords of URLs in free text. */
export const redactText = (text: string): string => text.replace(secretValue, hidden).replace(urlPassword, `$1${hidden}`)

/** Masks the secrets in a JSON line: those of free text, and the values of fields with secret names. */
export const redactLine = (line: string): string => redactText(line.replace(secretField, `$1"${hidden}"`))
