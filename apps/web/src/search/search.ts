// Names and encoding of the search parameters. The URL contains the whole state of a page.

/** All values are texts. An absent parameter stands for its default. */
export interface PageSearch {
  readonly q?: string | undefined
  /** Range of time: `24h`, or `from..to` in ISO 8601. */
  readonly t?: string | undefined
  /** Columns, comma-separated. */
  readonly cols?: string | undefined
  /** `-` before the field means descending order. */
  readonly sort?: string | undefined
  /** The row in the peek panel, as `trace:observation`. */
  readonly peek?: string | undefined
  readonly o?: string | undefined
  /** Height of a row in pixels: 28, 64 or 160. */
  readonly h?: string | undefined
  /** `1`: new rows appear automatically. */
  readonly live?: string | undefined
  /** `from..to` on the histogram. */
  readonly sel?: string | undefined
  /** Marked rows: `trace:observation`, comma-separated. */
  readonly marks?: string | undefined
  /** `1`: the page compares the selected part with the rest of the range. */
  readonly differs?: string | undefined
}

const names = ['q', 't', 'cols', 'sort', 'peek', 'o', 'h', 'live', 'sel', 'differs', 'marks'] as const

/** Returns the known parameters. Keeps empty texts: an empty `q` is a filter that the user cleared, an absent `q` is the default filter. */
export function pageSearch(given: Readonly<Record<string, unknown>>): PageSearch {
  const known = names.flatMap(name => (typeof given[name] === 'string' ? [[name, given[name]] as const] : []))
  return Object.fromEntries(known)
}

/** Characters that the app leaves unescaped in query strings, so that addresses stay readable. */
const readable: Readonly<Record<string, string>> = {
  '%3A': ':',
  '%2C': ',',
  '%2F': '/',
  '%3E': '>',
  '%3C': '<',
  '%28': '(',
  '%29': ')',
  '%7C': '|',
  '%7E': '~',
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(search).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]]))
  const text = new URLSearchParams(texts).toString().replaceAll(/%(?:3A|2C|2F|28|29|7C|7E|3E|3C)/g, code => readable[code] ?? code)
  return text === '' ? '' : `?${text}`
}

export const parseSearch = (text: string): Readonly<Record<string, string>> => Object.fromEntries(new URLSearchParams(text))
