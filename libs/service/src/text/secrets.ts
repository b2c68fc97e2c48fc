// Masks secrets that must never reach a log line or a printed configuration. Logger and configuration share this module so that
// they agree.

export const hidden = '***'

const secretName =
  '(?:password|passwd|passphrase|secret|secret[_-]?key|private[_-]?key|access[_-]?key|admin[_-]?api[_-]?key|authorization|cookie|salt)'

const secretNamePattern = new RegExp(`${secretName}$`, 'i')

/** True for names (of variables, fields, headers) whose values are credentials. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name)

/** Secret fields of a JSON line at any depth. JSON escapes a quote inside a string, so the pattern never starts inside a string. */
const secretField = new RegExp(String.raw`("[\w.-]*${secretName}":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\]|-?\d[\d.]*)`, 'gi')
/** This product's secret keys and HTTP credentials, wherever they occur: error messages of libraries quote their input. */
const secretValue = /\bsk-svc-[\w-]+|\b(?:Basic|Bearer) [A-Za-z0-9+/=._~-]{8,}/g
/** The length of the scheme is bounded; otherwise a long text of dots would be scanned again from every dot. */
const urlPassword = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"]*:)[^\s/@"]+(?=@)/gi

/** Masks secret keys, HTTP credentials, and passwords of URLs in free text. */
export const redactText = (text: string): string => text.replace(secretValue, hidden).replace(urlPassword, `$1${hidden}`)

/** Masks the same in a JSON line, and also the values of fields with secret names. */
export const redactLine = (line: string): string => redactText(line.replace(secretField, `$1"${hidden}"`))
