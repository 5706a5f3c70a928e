// Made by scripts/secret-forms.ts from the rules of secretlint 13.0.7, (c) azu and contributors, MIT licence.

/** Prefixes of keys, after the least length of what follows them. */
export const SECRETLINT = `
16 cfat_ cfk_ cfut_ dapi dckr_pat_ figd_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glc_ glpat- glsa_ gsk_
16 hf_ hvb. hvr. hvs. lin_api_ npm_ ntn_ rk_live_ rk_test_ shpat_ shpca_ shppa_ shpss_ sk_live_
16 sk_test_ vca_ vci_ vck_ vcp_ vcr_
`
