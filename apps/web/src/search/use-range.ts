// Reads the page's time range from the URL. Even a relative range, such as `24h`, keeps its start and end until the
// parameter `t` changes.
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { rangeOrDefault, type TimeRange } from './range.ts'

export function useRange(): TimeRange {
  const { t } = useSearch({ strict: false })
  return useMemo(() => rangeOrDefault(t, Date.now()), [t])
}
