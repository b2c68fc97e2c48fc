// Reads the page's time range from the URL. The range stays the same until the parameter `t` changes, even if it is relative.
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { rangeOrDefault, type TimeRange } from './range.ts'

export function useRange(): TimeRange {
  const { t } = useSearch({ strict: false })
  return useMemo(() => rangeOrDefault(t, Date.now()), [t])
}
