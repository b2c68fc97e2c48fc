// Masks secrets in log lines and in the printed configuration.

export const hidden = '***'

const secretName =
  '(?:password|passwd|passphrase|secret|secret[_-]?key|private[_-]?key|access[_-]?key|admin[_-]?api[_-]?key|authorization|cookie|salt)'

const secretNamePattern = new RegExp(`${secretName}$`, 'i')

/** True if a variable, field or header with this name contains a secret. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name)

/**
 * Matches secret fields of a JSON line, at any depth. A match cannot start inside of a string, because quotes inside of strings are
 * escaped.
 */
const secretField = new RegExp(String.raw`("[\w.-]*${secretName}":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|-?\d[\d.]*)`, 'gi')
/** Matches our secret keys and HTTP credentials. Error messages of libraries quote their input, which can contain such secrets. */
const secretValue = /\bsk-svc-[\w-]+|\b(?:Basic|Bearer) [A-Za-z0-9+/=._~-]{8,}/g
/**
 * Matches a password in a URL. The length of the scheme is limited. Otherwise, matching a text of n dots would take time proportional to
 * n².
 */
const urlPassword = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/gi

/** Masks secrets in free text. */
export const redactText = (text: string): string => text.replace(secretValue, hidden).replace(urlPassword, `$1${hidden}`)

/** Masks secrets in free text, and the values of fields that are named like a secret, such as `password`. */
export const redactLine = (line: string): string => redactText(line.replace(secretField, `$1"${hidden}"`))
