package main
import ("os";"runtime/pprof";"runtime";"context";"fmt";"strings";"sort")
type T struct{}
func (t *T) Run(n int) int { s:=0; for i:=0;i<n;i++ { s+=fib(i%22) }; return s }
func fib(n int) int { if n<2 {return n}; return fib(n-1)+fib(n-2) }
func gen[K comparable](a []K) map[K]int { m:=map[K]int{}; for _,x:=range a { m[x]++ }; return m }
var keep []string
func main(){
 runtime.MemProfileRate=4096
 f,_:=os.Create("cpu.pb.gz"); pprof.StartCPUProfile(f)
 t:=&T{}
 pprof.Do(context.Background(), pprof.Labels("phase","warm","rank","3"), func(context.Context){ fmt.Println(t.Run(60000)) })
 for i:=0;i<60;i++ { x:=strings.Split(strings.Repeat("a,b,c,",20000),","); sort.Strings(x); gen(x); keep=append(keep,x[0:10]...)}
 pprof.StopCPUProfile(); f.Close()
 h,_:=os.Create("heap.pb.gz"); pprof.WriteHeapProfile(h); h.Close()
 g,_:=os.Create("goroutine.pb.gz"); pprof.Lookup("goroutine").WriteTo(g,0); g.Close()
}
