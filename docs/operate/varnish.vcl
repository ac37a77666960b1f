# A cache in front of the API: docs/operate/scale.md tells what it is for. The API says what may be kept, and for how long.
vcl 4.1;
import std;

backend registry {
  .host = "registry";
  .port = "3000";
  .probe = { .url = "/readyz"; .interval = 2s; .threshold = 1; .window = 2; .initial = 1; }
}

# Who may say what is forgotten: the indexer (PURGE_URL).
acl indexer { "registry"; }

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ indexer) { return (synth(405)); }
    # A proxy on the indexer's host has its address: what it passes on is someone else's.
    if (req.http.X-Forwarded-For ~ ",") { return (synth(405)); }
    if (req.http.Surrogate-Key !~ "^[A-Za-z0-9._/ -]+$") { return (synth(400)); }
    # Each answer names its keys; a key is whole, so a.example is no part of ba.example.
    set req.http.X-Keys = regsuball(regsuball(req.http.Surrogate-Key, "\.", "\\."), " ", "|");
    ban("obj.http.Surrogate-Key ~ (^|\s)(" + req.http.X-Keys + ")($|\s)");
    return (synth(200));
  }
  # Callers are told apart by their credentials, and each sees other answers: none of these is shared.
  if (req.http.Authorization || req.http.Cookie) { return (pass); }
  if (req.method != "GET" && req.method != "HEAD") { return (pass); }
  return (hash);
}

sub vcl_backend_response {
  # Varnish reads s-maxage and max-age itself; it knows stale-while-revalidate as grace only where that is the only directive.
  set beresp.grace = 0s;
  if (beresp.http.Cache-Control ~ "stale-while-revalidate=[0-9]+") {
    set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, "^.*stale-while-revalidate=([0-9]+).*$", "\1s"), 0s);
  }
  if (beresp.http.Cache-Control ~ "no-cache|no-store|private") {
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    return (deliver);
  }
  # Revalidated by its ETag, which a quiet night does not change.
  set beresp.keep = 10m;
}

sub vcl_deliver {
  set resp.http.X-Cache = regsub(resp.http.X-Varnish, "^.+ .+$", "hit");
  if (resp.http.X-Cache != "hit") { set resp.http.X-Cache = "miss"; }
  unset resp.http.Surrogate-Key;
  # It is the id of the request that brought the answer here.
  if (obj.hits > 0) { unset resp.http.x-request-id; }
}
