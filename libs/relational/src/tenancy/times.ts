// Every insert sets `created_at` and `updated_at`, because v3's `updated_at` columns have no default.

export const timesAt = (at: Date) => ({ created_at: at, updated_at: at })
