// The URL is the only state of a page: what its search parameters are called, and how they are written.

/** Filter, range, columns, sort, open row, node of a trace; further ones belong to single places. All are texts; an absent one has its default. */
export interface PageSearch {
  /** Filter, in the text of the filter bar. */
  readonly q?: string | undefined
  /** Range of time: `24h`, or `from..to` in ISO 8601. */
  readonly t?: string | undefined
  /** Columns, comma-separated. */
  readonly cols?: string | undefined
  /** Field to sort by; `-` before it: descending. */
  readonly sort?: string | undefined
  /** `trace:observation` of the row in the peek panel. */
  readonly peek?: string | undefined
  /** Observation of a trace that is open. */
  readonly o?: string | undefined
  /** Height of rows: 28, 64, 160. */
  readonly h?: string | undefined
  /** `1`: new rows appear by themselves. */
  readonly live?: string | undefined
  /** A part of the range, chosen on the histogram: `from..to`. The table shows its rows. */
  readonly sel?: string | undefined
  /** Marked rows: `trace:observation`, comma-separated. */
  readonly marks?: string | undefined
  /** `1`: what sets that part apart from the rest of the range is shown. */
  readonly differs?: string | undefined
}

const names = ['q', 't', 'cols', 'sort', 'peek', 'o', 'h', 'live', 'sel', 'differs', 'marks'] as const

/** Keeps what a page knows; an empty text is a value (a filter that was cleared). */
export function pageSearch(given: Readonly<Record<string, unknown>>): PageSearch {
  const known = names.flatMap(name => (typeof given[name] === 'string' ? [[name, given[name]] as const] : []))
  return Object.fromEntries(known)
}

/** Characters that a query may hold unescaped, and that addresses are read by. */
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
