// Names and encoding of the search parameters. The URL holds the whole state of a page.

/**
 * Filter, range, columns, sort order, open row, open observation of a trace, and parameters of single places. All values are texts, and an
 * absent parameter has its default.
 */
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
  /** The open observation of a trace. */
  readonly o?: string | undefined
  /** Height of rows in pixels: 28, 64 or 160. */
  readonly h?: string | undefined
  /** If the value is `1`, new rows appear by themselves. */
  readonly live?: string | undefined
  /** Part of the range, selected on the histogram: `from..to`. The table shows only rows from this part. */
  readonly sel?: string | undefined
  /** Marked rows: `trace:observation`, comma-separated. */
  readonly marks?: string | undefined
  /** If the value is `1`, the page shows how the selected part differs from the remaining range. */
  readonly differs?: string | undefined
}

const names = ['q', 't', 'cols', 'sort', 'peek', 'o', 'h', 'live', 'sel', 'differs', 'marks'] as const

/** Keeps the known parameters. An empty text is a value, such as a cleared filter. */
export function pageSearch(given: Readonly<Record<string, unknown>>): PageSearch {
  const known = names.flatMap(name => (typeof given[name] === 'string' ? [[name, given[name]] as const] : []))
  return Object.fromEntries(known)
}

/** Characters that stay unescaped in a query, so that addresses are readable. */
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
